/**
 * XML documents that may be long: made as they are sent. What fits in one piece goes out whole, with its length, as every other
 * answer; beyond that the next piece is made when the client has taken the one before.
 */

import { turn } from '../turns/turn.ts'
import { rootTags, type Xml, xmlDeclaration, xmlText } from '../xml/write.ts'
import type { Answer, AnswerHeaders } from './answer.ts'

/** Characters of an answer that goes out whole: a page of a thousand ordinary keys is one. */
const wholeMax = 512 * 1024
const pieceMin = 64 * 1024

/** @param children In their order; one is made when there is room for it, so making one must not fail. */
export async function longXmlAnswer(
  root: string,
  namespace: string,
  children: Iterable<Xml>,
  more: AnswerHeaders = {},
): Promise<Answer> {
  const { opening, closing } = rootTags(root, namespace)
  const iterator = children[Symbol.iterator]()
  let begun = { text: xmlDeclaration + opening, isOver: false }
  while (!begun.isOver && begun.text.length < wholeMax) {
    if (turn.isOver) await turn.next()
    const { text, isOver } = take(iterator)
    begun = { text: begun.text + text, isOver }
  }
  const headers = { 'content-type': 'application/xml', ...more }
  const body = begun.isOver ? begun.text + closing : pieces(iterator, begun.text, closing)
  return { status: 200, headers, body }
}

async function* pieces(children: Iterator<Xml>, first: string, closing: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(first)
  for (;;) {
    if (turn.isOver) await turn.next()
    const { text, isOver } = take(children)
    yield Buffer.from(isOver ? text + closing : text)
    if (isOver) return
  }
}

function take(children: Iterator<Xml>): { readonly text: string; readonly isOver: boolean } {
  let text = ''
  let isOver = false
  while (text.length < pieceMin && !isOver) {
    const { done, value } = children.next()
    if (done === true) isOver = true
    else text += xmlText(value)
  }
  turn.spend(text.length)
  return { text, isOver }
}
