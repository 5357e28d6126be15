/**
 * Lines of text as bytes: together while they come at once, and the last of them without delay. While none comes, an empty
 * line now and then shows that the connection is in use.
 */
import { settledWithin } from '../turns/settled-within.ts'

const batchMax = 32 * 1024
/** Shorter than the idle timeouts of servers and proxies. */
const aliveEveryMs = 20_000

export async function* linesAsBytes(
  lines: AsyncIterable<string>,
  everyMs: number = aliveEveryMs,
): AsyncGenerator<Uint8Array> {
  const values = lines[Symbol.asyncIterator]()
  try {
    let next: Next | undefined = values.next()
    // The head of the answer leaves with the first bytes, so a quiet log begins with an empty line.
    if (!(await settledWithin(next, 0))) yield Buffer.from('\n')
    while (next !== undefined) {
      while (!(await settledWithin(next, everyMs))) yield Buffer.from('\n')
      const batch = await batchFrom(next, values)
      if (batch.text !== '') yield Buffer.from(batch.text)
      next = batch.next
    }
  } finally {
    await values.return?.()
  }
}

type Next = Promise<IteratorResult<string>>

/** The lines that come at once, and the promise of the one after them, unless they are the last. */
async function batchFrom(
  first: Next,
  values: AsyncIterator<string>,
): Promise<{ readonly text: string; readonly next?: Next }> {
  let text = ''
  for (let next = first; ; next = values.next()) {
    if (text.length >= batchMax || !(await settledWithin(next, 0))) return { text, next }
    const { done, value } = await next
    if (done === true) return { text }
    text += value
  }
}
