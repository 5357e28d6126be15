/** Sends the body of a request, as fast as the server takes it. */
import type { ClientRequest } from 'node:http'
import { type ByteSource, interruptible, type Wait } from '@varve/core'

/** What went wrong with the body itself. */
export interface Fed {
  failure?: { readonly error: unknown }
}

export interface Feeding {
  readonly body: ByteSource
  /** Called after the last byte. */
  readonly trailer: () => Readonly<Record<string, string>>
  readonly fed: Fed
}

/** A longer chunk is written before the next one is requested; a shorter one is copied. */
const copiedMax = 64 * 1024

const over = Symbol('The request was answered or has failed.')

/** Ends the body early when the request is answered or fails. Never rejects: an error of the body is in `fed`. */
export async function feed(request: ClientRequest, { body, trailer, fed }: Feeding): Promise<void> {
  const wait = untilAnswered(request)
  const source = interruptible(body, wait)
  try {
    for (let next = await source.next(); next.done !== true; next = await source.next()) {
      await wait(sent(request, next.value))
    }
    const trailers = trailer()
    if (Object.keys(trailers).length > 0) request.addTrailers(trailers)
    request.end()
  } catch (error) {
    await source.end()
    if (error === over) return
    fed.failure = { error }
    request.destroy()
  }
}

/** A chunk may change once the next one is requested. */
function sent(request: ClientRequest, chunk: Uint8Array): Promise<void> {
  if (chunk.length <= copiedMax && request.write(chunk.slice())) return Promise.resolve()
  return new Promise((resolve) => {
    // The error of a failed request arrives elsewhere.
    if (chunk.length > copiedMax) request.write(chunk, () => resolve())
    else request.once('drain', resolve)
  })
}

/** A wait that rejects with `over` once the request was answered or has failed. */
function untilAnswered(request: ClientRequest): Wait {
  let isOver = false
  const ended = new Promise<never>((_, reject) => {
    for (const event of ['response', 'close'] as const) {
      request.once(event, () => {
        isOver = true
        reject(over)
      })
    }
  })
  ended.catch(() => undefined)
  return (work) => {
    if (isOver) {
      work.catch(() => undefined)
      return ended
    }
    return Promise.race([work, ended])
  }
}
