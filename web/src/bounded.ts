/** Names of profiles may have thousands of characters: a tooltip shows so many of them. */
const MOST = 400;

export function bounded(text: string, most = MOST): string {
  if (text.length <= most) return text;
  const half = Math.floor((most - 1) / 2);
  return `${text.slice(0, half)}…${text.slice(-half)}`;
}

/** The end of a name says most. */
export function shortened(name: string, most: number): string {
  return name.length <= most ? name : `…${name.slice(-(most - 1))}`;
}
