/** What a person sees wrong in the layout of a page: controls that shrink, overlap or are cut off, broken words, a page that scrolls sideways. */
import type { Page } from 'playwright-core'

/** One line for each fault of what is in the page now. */
export const layoutFindings = (page: Page): Promise<readonly string[]> => page.evaluate(script)

/** Runs in the page. The tests have no types of the browser. */
const script = `(() => {
  const found = []
  const controls = 'a[href], button, input, select, textarea, summary, [role=slider]'
  const least = 16
  const open = [...document.querySelectorAll('dialog[open]')].at(-1)
  const root = open ?? document.body
  const nameOf = (element) =>
    element.tagName.toLowerCase() + ' “' + (element.getAttribute('aria-label') ?? element.innerText ?? element.id).trim().slice(0, 40) + '”'
  const isShown = (element) =>
    element.checkVisibility({ visibilityProperty: true }) && !element.closest('.visually-hidden, .skip, thead') && element.type !== 'file'
  /** The part of an element that its scrolling and clipping ancestors show. */
  const shownBox = (element) => {
    let { left, top, right, bottom } = element.getBoundingClientRect()
    for (let up = element.parentElement; up !== null && up !== root.parentElement; up = up.parentElement) {
      if (getComputedStyle(up).overflow === 'visible') continue
      const box = up.getBoundingClientRect()
      ;[left, top, right, bottom] = [Math.max(left, box.left), Math.max(top, box.top), Math.min(right, box.right), Math.min(bottom, box.bottom)]
    }
    return { left, top, right, bottom, width: right - left, height: bottom - top }
  }
  const canScrollDown = (element) => {
    for (let up = element.parentElement; up !== null; up = up.parentElement) {
      if (/auto|scroll/.test(getComputedStyle(up).overflowY) && up.scrollHeight > up.clientHeight + 1) return true
    }
    return false
  }
  const sideways = document.documentElement.scrollWidth - innerWidth
  if (sideways > 0) found.push('the page scrolls sideways by ' + sideways)
  if (open !== undefined && open.scrollWidth > open.clientWidth + 1) found.push('the dialog scrolls sideways')
  const all = [...root.querySelectorAll(controls)].filter(isShown)
  const boxes = new Map(all.map((element) => [element, shownBox(element)]))
  for (const [element, box] of boxes) {
    const full = element.getBoundingClientRect()
    const isInText = getComputedStyle(element).display === 'inline'
    if (full.height < least - 2 || full.width < (isInText ? 6 : least - 2)) {
      found.push(nameOf(element) + ' is ' + Math.round(full.width) + ' × ' + Math.round(full.height))
    } else if (element.title !== '' && element.closest('.virtual-row') !== null && box.width > least) {
      // The name of a row ends in “…”, and its title has all of it.
    } else if (box.width < full.width - 2 || full.left < -1 || full.right > innerWidth + 1) {
      found.push(nameOf(element) + ' is cut off at its side')
    } else if (box.height < full.height - 2 && !canScrollDown(element)) {
      found.push(nameOf(element) + ' is cut off at its end')
    }
  }
  const parts = [...boxes].filter(([, { width, height }]) => width > 0 && height > 0)
  // The dock lies above the page on purpose: the page scrolls beneath it.
  const layerOf = (element) => element.closest('.dock, .top-bar, dialog') ?? undefined
  for (const [i, [one, a]] of parts.entries()) {
    for (const [other, b] of parts.slice(i + 1)) {
      if (one.contains(other) || other.contains(one) || layerOf(one)?.className !== layerOf(other)?.className) continue
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left)
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
      if (across > 2 && down > 2) found.push(nameOf(one) + ' overlaps ' + nameOf(other))
    }
  }
  // A word that of ten letters is never broken. Keys and documents may break anywhere.
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const { parentElement } = node
    if (!isShown(parentElement) || parentElement.closest('.key, pre, code, option, textarea')) continue
    for (const { 0: word, index } of node.data.matchAll(/[\\p{L}\\p{N}]{2,10}(?![\\p{L}\\p{N}.:/_-])/gu)) {
      if (/[\\p{L}\\p{N}.:/_-]/u.test(node.data[index - 1] ?? '')) continue
      const range = document.createRange()
      range.setStart(node, index)
      range.setEnd(node, index + word.length)
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) found.push('the word “' + word + '” is broken')
    }
  }
  return [...new Set(found)]
})()`
