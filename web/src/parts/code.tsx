import { useState } from "preact/hooks";
import "./code.css";

/** Code to paste; a click copies it, where the browser lets a file do that. */
export function Code({ text }: { text: string }) {
  const [copied, setCopied] = useState(false);
  const copy = () => {
    void navigator.clipboard?.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return (
    <div class="code">
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
      {"clipboard" in navigator && (
        <button type="button" onClick={copy} aria-label="Copy the code">
          {copied ? "copied" : "copy"}
        </button>
      )}
    </div>
  );
}
