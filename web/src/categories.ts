// Made by tests/generated_categories.py: `make test-fast ARGS=--accept` writes it anew.

/** What the time of a step can go to: its words, and its colours on light and on dark paper. */
export interface CategoryLook {
  label: string;
  meaning: string;
  light: string;
  dark: string;
}

/** In the order of precedence, which is the order in which they are stacked. */
export const CATEGORIES: Readonly<Record<string, CategoryLook>> = {
  device_compute_16: { label: "16-bit device compute", meaning: "a kernel of half precision runs on a device", light: "#45d5ff", dark: "#c6f4ff" },
  device_compute_32: { label: "32-bit device compute", meaning: "any other kernel runs on a device", light: "#0f63c1", dark: "#4e8cef" },
  output: { label: "copies to the host", meaning: "a device copies to the host", light: "#e1a500", dark: "#dbe82a" },
  device_to_device: { label: "copies between devices", meaning: "a device copies to itself or to another one", light: "#594000", dark: "#945a0c" },
  input: { label: "waiting for input", meaning: "the model waits for the next element of its dataset or queue", light: "#cf5c0a", dark: "#ff852f" },
  collectives: { label: "collectives", meaning: "devices exchange gradients, and compute nothing meanwhile", light: "#9c68a4", dark: "#eb90d8" },
  host_to_device: { label: "copies to devices", meaning: "the host copies to a device", light: "#d4c169", dark: "#ffdb8f" },
  kernel_launch: { label: "kernel launch", meaning: "the host launches work for a device that does nothing", light: "#380aa9", dark: "#6d46f3" },
  compilation: { label: "compilation", meaning: "a function is traced or compiled", light: "#5c0a22", dark: "#a82a40" },
  host_model: { label: "ops on the CPU", meaning: "ops of the model run on the CPU", light: "#008f58", dark: "#13b87c" },
  host_tf_data: { label: "tf.data in the background", meaning: "only the input pipeline works, and nobody waits for it", light: "#a1d4a0", dark: "#80f5bd" },
  host_python: { label: "Python and runtime", meaning: "only Python or TensorFlow's runtime is at work", light: "#565a5f", dark: "#8d9199" },
  other: { label: "in the step, not recorded", meaning: "the step is open, and nothing within it was recorded", light: "#959aa0", dark: "#5f6168" },
  idle: { label: "nothing recorded", meaning: "no thread and no device recorded anything", light: "#e6e8ec", dark: "#32384c" },
};
