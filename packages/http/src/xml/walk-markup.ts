/** The one way through a document of XML: from markup to markup, in pieces. */
import type { Pieces } from '../turns/in-turns.ts'

export interface MarkupVisitor {
  /** What stands between two pieces of markup, never empty. */
  text(text: string): void
  /** The `<` at this place. Returns where the markup ends. */
  markup(at: number): number
}

/** Characters after which a pause may be made. */
const pieceLength = 64 * 1024
/** Every character is looked for, cut out, and looked at by patterns. */
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
