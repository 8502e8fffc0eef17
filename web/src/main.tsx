import { render } from "preact";
import { App } from "./app";
import { readHead } from "./payload";
import "./style.css";

render(<App head={readHead()} />, document.getElementById("page")!);
