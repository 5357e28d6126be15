/** Walks through an XML document from markup to markup, and can be paused. */
import type { Pieces } from '../turns/in-turns.ts'

export interface MarkupVisitor {
  /** Called with the text between two pieces of markup, never empty. */
  text(text: string): void
  /** Called with the position of a `<`. Returns the position after the markup. */
  markup(at: number): number
}

/** The characters between two pauses. */
const pieceLength = 64 * 1024
/** The cost of a character, which is searched for, copied, and matched by patterns. */
const stepsOfCharacter = 4

/** Throws what the visitor throws. */
export function* walkMarkup(xml: string, visitor: MarkupVisitor): Pieces<void> {
  let paused = 0
  for (let at = 0; at < xml.length; ) {
    if (at - paused > pieceLength) {
      yield (at - paused) * stepsOfCharacter
      paused = at
    }
    const markup = xml.indexOf('<', at)
    const end = markup === -1 ? xml.length : markup
    if (end > at) visitor.text(xml.slice(at, end))
    at = markup === -1 ? end : visitor.markup(markup)
  }
}
