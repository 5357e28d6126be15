/** The bytes of an object as an answer of the control API. */
import type { ObjectContent } from '@varve/core'
import type { OperationBytes } from './forward-control.ts'

type AnsweredBytes = Pick<ObjectContent, 'body' | 'close' | 'size'>

/** @param isCall The facts of the object come in a line of JSON before its bytes. */
export function bytesAnswer(
  content: OperationBytes,
  isCall: boolean,
  headers: Readonly<Record<string, string>>,
): {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly content: AnsweredBytes
} {
  const { seq, versionId, range, size } = content
  return {
    status: range === undefined ? 200 : 206,
    headers: {
      'x-varve-seq': String(seq),
      'x-varve-version-id': versionId,
      ...(range && { 'content-range': `bytes ${range.start}-${range.end - 1}/${size}` }),
      ...headers,
    },
    content: isCall ? withFacts(content) : plainBytes(content),
  }
}

function plainBytes(content: OperationBytes): AnsweredBytes {
  const { body, close } = content
  return { body, close: () => close(), size: bytesIn(content) }
}

function withFacts(content: OperationBytes): AnsweredBytes {
  const { body, buffered: _buffered, bytes: _bytes, text: _text, close, ...facts } = content as ObjectContent
  const line = Buffer.from(`${JSON.stringify(facts)}\n`)
  async function* all(): AsyncGenerator<Uint8Array> {
    yield line
    yield* body
  }
  return { body: all(), close: () => close(), size: line.length + bytesIn(content) }
}

const bytesIn = ({ size, range }: OperationBytes): number => (range === undefined ? size : range.end - range.start)
