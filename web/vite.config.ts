import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import preact from "@preact/preset-vite";
import { defineConfig, type Plugin } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

/**
 * The page may run its own script and style, which are known by their hashes, and nothing else.
 * Hashed once they are in the file: what puts them there runs last of the bundle.
 */
function contentSecurityPolicy(): Plugin {
  return {
    name: "content-security-policy",
    writeBundle({ dir }) {
      const path = join(dir!, "index.html");
      const html = readFileSync(path, "utf8");
      const policy = [
        "default-src 'none'",
        `script-src ${hashes(html, "script")}`,
        `style-src ${hashes(html, "style")}`,
        "worker-src blob:",
        "img-src data: blob:",
        "base-uri 'none'",
        "form-action 'none'",
      ].join("; ");
      const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
      writeFileSync(path, html.replace("<!--tfprof-policy-->", meta));
    },
  };
}

function hashes(html: string, tag: string): string {
  const found = [...html.matchAll(new RegExp(`<${tag}\\b[^>]*>([\\s\\S]*?)</${tag}>`, "g"))];
  return found
    .map(([, inside]) => `'sha256-${createHash("sha256").update(inside!).digest("base64")}'`)
    .join(" ");
}

export default defineConfig({
  plugins: [preact(), viteSingleFile(), contentSecurityPolicy()],
  build: { target: "es2022", modulePreload: false, reportCompressedSize: false },
  // a module would be fetched, which a page from a file may not do
  worker: { format: "iife" },
});
