/** `#kind/place`: which section is looked at, and what of it. A link to it survives a reload. */

export interface Address {
  kind: string;
  place: string;
}

export function addressOf(hash: string, first: string): Address {
  const [kind = "", ...rest] = hash.replace(/^#/, "").split("/");
  return kind ? { kind: decoded(kind), place: decoded(rest.join("/")) } : { kind: first, place: "" };
}

export function linkTo(kind: string, place = ""): string {
  // a slash may stand as it is, and reads better
  const rest = encodeURIComponent(place).replaceAll("%2F", "/");
  return place ? `#${encodeURIComponent(kind)}/${rest}` : `#${encodeURIComponent(kind)}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // typed by hand
  }
}
