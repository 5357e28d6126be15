/** Answers that may take minutes. An early result is sent normally; for a late one, white space is sent meanwhile. */

import type { Answer, SlowAnswer } from '../contract/answer.ts'
import { settledWithin } from '../turns/settled-within.ts'
import { xmlDeclaration } from '../xml/write.ts'
import { lateError } from './error-answer.ts'
import type { ErrorPlace } from './error-answer.ts'

export interface KeepAliveOptions extends ErrorPlace {
  /** Milliseconds. */
  readonly afterMs: number
  readonly everyMs: number
  /** Called with an error that occurred after status 200 was sent. */
  readonly onLateError?: (error: unknown) => void
}

/** Rejects with the error of `slow` if it occurs in time, and with the error of `early`. */
export async function keptAlive({ slow, early }: SlowAnswer, options: KeepAliveOptions): Promise<Answer> {
  if (await settledWithin(slow, options.afterMs)) return slow
  const known = await early?.()
  if (await settledWithin(slow, 0)) return slow
  return { status: 200, headers: { 'content-type': 'application/xml', ...known }, body: whiteSpace(slow, options) }
}

async function* whiteSpace(slow: Promise<Answer>, options: KeepAliveOptions): AsyncGenerator<Uint8Array> {
  // Parsers refuse white space before the declaration, so the declaration is sent first.
  yield Buffer.from(xmlDeclaration)
  while (!(await settledWithin(slow, options.everyMs))) yield Buffer.from(' ')
  yield Buffer.from(await lateBody(slow, options))
}

async function lateBody(slow: Promise<Answer>, options: KeepAliveOptions): Promise<string> {
  try {
    const { body } = await slow
    if (typeof body !== 'string' || !body.startsWith(xmlDeclaration)) throw new TypeError('A slow answer is XML.')
    return body.slice(xmlDeclaration.length)
  } catch (error) {
    options.onLateError?.(error)
    return lateError(error, options)
  }
}
