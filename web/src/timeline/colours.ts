import { colour } from "../parts/colours";

export interface Palette {
  paper: string;
  raised: string;
  line: string;
  ink: string;
  faint: string;
  accent: string;
  /** by name, so that the same work has one colour everywhere */
  slices: string[];
}

const HUES = 18;

export function paletteOf(dark: boolean): Palette {
  const slices = Array.from({ length: HUES }, (_, at) => {
    const hue = Math.round((at * 360) / HUES);
    return dark ? `hsl(${hue} 32% 36%)` : `hsl(${hue} 58% 79%)`;
  });
  return {
    paper: colour("paper"),
    raised: colour("raised"),
    line: colour("line"),
    ink: colour("ink"),
    faint: colour("faint"),
    accent: colour("accent"),
    slices,
  };
}

/** Names that differ by their numbers share a colour. */
export function huesOf(names: readonly string[]): Uint8Array {
  return Uint8Array.from(names, (name) => {
    let hash = 7;
    for (let at = 0; at < Math.min(name.length, 200); at++) {
      const code = name.charCodeAt(at);
      if (code < 48 || code > 57) hash = (hash * 31 + code) | 0;
    }
    return (hash >>> 0) % HUES;
  });
}
