/**
 * XML documents that may be long, created while they are sent. A document that fits in one piece is sent whole, with
 * its length, like every other answer. Of a longer one, each piece is created when the client has received the piece
 * before.
 */

import { shareOf } from '../addresses/share-of.ts'
import { turn } from '../turns/turn.ts'
import { rootTags, type Xml, xmlDeclaration, xmlText } from '../xml/write.ts'
import type { Answer, AnswerHeaders } from './answer.ts'
import type { ServiceContext } from './operation.ts'

/** Characters of an answer that is sent whole: enough for a page of a thousand ordinary keys. */
const wholeMax = 512 * 1024
const pieceMin = 64 * 1024

/** @param children In order. Each is created when there is room for it, so creating one must not fail. */
export async function longXmlAnswer(
  { options: { namespace }, client: { address } }: Pick<ServiceContext, 'options' | 'client'>,
  root: string,
  children: Iterable<Xml>,
  more: AnswerHeaders = {},
): Promise<Answer> {
  const { opening, closing } = rootTags(root, namespace)
  const headers = { 'content-type': 'application/xml', ...more }
  const iterator = children[Symbol.iterator]()
  if (turn.isOver) await turn.next(shareOf(address))
  const first = take(iterator, closing)
  const begin = xmlDeclaration + opening + first.text
  if (first.isOver) return { status: 200, headers, body: begin }
  // Pieces are kept as bytes: V8 collects long strings late and at a high price.
  const begun: Uint8Array[] = [Buffer.from(begin)]
  for (let length = begin.length; length < wholeMax; ) {
    if (turn.isOver) await turn.next(shareOf(address))
    const { text, isOver } = take(iterator, closing)
    begun.push(Buffer.from(text))
    if (isOver) return { status: 200, headers, body: Buffer.concat(begun) }
    length += text.length
  }
  return { status: 200, headers, body: pieces(iterator, { begun, closing, address }) }
}

interface Begun {
  readonly begun: readonly Uint8Array[]
  readonly closing: string
  readonly address: string | undefined
}

async function* pieces(children: Iterator<Xml>, { begun, closing, address }: Begun): AsyncGenerator<Uint8Array> {
  yield* begun
  for (;;) {
    if (turn.isOver) await turn.next(shareOf(address))
    const { text, isOver } = take(children, closing)
    yield Buffer.from(text)
    if (isOver) return
  }
}

/** Returns the next piece. The last piece includes the closing tag. */
function take(children: Iterator<Xml>, closing: string): { readonly text: string; readonly isOver: boolean } {
  let text = ''
  let isOver = false
  while (text.length < pieceMin && !isOver) {
    const { done, value } = children.next()
    if (done === true) isOver = true
    else text += xmlText(value)
  }
  turn.spend(text.length)
  return { text: isOver ? text + closing : text, isOver }
}
