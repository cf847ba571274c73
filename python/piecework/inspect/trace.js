// One listener for all traces of a page, however often this runs.
if (!window.pieceworkTrace) {
  window.pieceworkTrace = true;
  const show = (event) => {
    const box = event.target.closest?.(".piecework [data-span]");
    document.querySelectorAll(".piecework .on").forEach((other) => other.classList.remove("on"));
    if (!box) return;
    const [start, end] = box.dataset.span.split(" ").map(Number);
    for (const other of box.closest(".piecework").querySelectorAll("[data-span]")) {
      const [from, to] = other.dataset.span.split(" ").map(Number);
      if (from < end && start < to) other.classList.add("on");
    }
  };
  document.addEventListener("mouseover", show);
  document.addEventListener("focusin", show);
}
