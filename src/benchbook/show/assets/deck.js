// Keys of the page of slides: one slide on, one back, the list. Without it the page is scrolled.
const slides = [...document.querySelectorAll('.slide')];
const here = () =>
  slides.findIndex((slide) => slide.getBoundingClientRect().bottom > window.innerHeight / 2);
const show = (index) => {
  const slide = slides[Math.max(0, Math.min(index, slides.length - 1))];
  slide.scrollIntoView({ block: 'start' });
  history.replaceState(null, '', `#${slide.id}`);
};
const steps = { ArrowRight: 1, PageDown: 1, ' ': 1, ArrowLeft: -1, PageUp: -1 };
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === ' ' && event.target.closest('summary, a')) return;
  if (event.key === 'Home') show(0);
  else if (event.key in steps) show(here() + steps[event.key] * (event.shiftKey ? -1 : 1));
  else return;
  event.preventDefault();
});
