/**
 * Keeps the focus where a person works. When the element that has it leaves the page, the browser gives it to nothing, and
 * the keyboard begins again at the top. This gives it to what opened the dialog, panel or message that is gone, or to the
 * nearest control around the element that is gone.
 */

/** On a dialog, panel or message: when it leaves the page with the focus, the focus goes back to where it came from. */
const returning = '[data-returns-focus]'

const focusable =
  'a[href], button, input:not([type="hidden"], [hidden]), select, textarea, summary, [tabindex]:not([tabindex="-1"])'

/** An element, its parent, and so on. */
type Trail = readonly Element[]

const openers = new WeakMap<Element, Trail>()
let trail: Trail = []

export function keepFocus(): void {
  document.addEventListener('focusin', ({ target }) => target instanceof Element && noteFocus(target))
  // A browser may give no focus to what a pointer presses.
  document.addEventListener('click', ({ target }) => noteClick(target), { capture: true })
  document.addEventListener('focusout', () =>
    queueMicrotask(() => {
      // The person left it on purpose, as by a click on the page.
      if (hasNoFocus() && trail[0]?.isConnected === true) trail = []
    }),
  )
  new MutationObserver(recover).observe(document.body, { childList: true, subtree: true })
}

function noteFocus(target: Element): void {
  const container = target.closest(returning)
  const [from] = trail
  // The content of the page is where the focus is when nothing was chosen yet.
  const isOpened = container !== null && from !== undefined && !container.contains(from) && !from.matches('#content')
  if (isOpened && !openers.has(container)) openers.set(container, trail)
  trail = trailOf(target)
}

function noteClick(target: EventTarget | null): void {
  const pressed = target instanceof Element ? target.closest(focusable) : null
  if (pressed !== null && hasNoFocus()) trail = trailOf(pressed)
}

function trailOf(element: Element): Trail {
  const steps: Element[] = []
  for (let step: Element | null = element; step !== null; step = step.parentElement) steps.push(step)
  return steps
}

const hasNoFocus = (): boolean => document.activeElement === null || document.activeElement === document.body

function recover(): void {
  if (trail[0] === undefined || trail[0].isConnected || !hasNoFocus()) return
  const successor = successorOf(trail)
  trail = []
  successor?.focus({ preventScroll: true })
}

function successorOf(lost: Trail): HTMLElement | undefined {
  const chain = [lost, ...openersOf(lost)]
  const usable = chain
    .map(([element]) => element)
    .find((element) => element instanceof HTMLElement && isUsable(element))
  if (usable instanceof HTMLElement) return usable
  // A panel that was opened by its address belongs to the row of the same object.
  const row = lost.map(rowOf).find((found) => found !== null)
  return row ?? besideOf(chain[1] ?? lost)
}

/** What opened the container that is gone, what opened the container of that, and so on. */
function openersOf(lost: Trail): readonly Trail[] {
  const container = lost.find((step) => !step.isConnected && openers.has(step))
  const opener = container === undefined ? undefined : openers.get(container)
  return opener === undefined ? [] : [opener, ...openersOf(opener)]
}

/** The first control of the nearest part of the page that is left. */
function besideOf(lost: Trail): HTMLElement | undefined {
  const content = document.querySelector<HTMLElement>('#content') ?? undefined
  const around = lost.find((step) => step.isConnected)
  if (around === undefined || (content !== undefined && around.contains(content))) return content
  return [...around.querySelectorAll<HTMLElement>(focusable)].find(isUsable) ?? content
}

function rowOf(step: Element): HTMLElement | null {
  const key = step.getAttribute('data-key')
  if (key === null || step.isConnected) return null
  return document.querySelector<HTMLElement>(`a.row-link[title="${CSS.escape(key)}"]`)
}

const isUsable = (element: HTMLElement): boolean =>
  element.isConnected && element.checkVisibility() && !element.matches(':disabled')
