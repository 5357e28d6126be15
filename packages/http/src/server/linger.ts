import type { IncomingMessage } from 'node:http'

/** How long the server reads from a refused client. */
export const lingerMs = 1000
const lingerBytes = 8 * 1024 * 1024

/** The most clients to read from at once. Other clients that continue to send may miss the reason of the refusal. */
const lingeringMax = 32
let lingering = 0

/**
 * Discards what a client still sends, for a moment. The system resets a connection that is closed with unread bytes,
 * and the reset can overtake the answer: the client would see a broken pipe instead of the reason.
 */
export function linger(request: IncomingMessage): Promise<void> {
  if (request.destroyed || lingering >= lingeringMax) return Promise.resolve()
  lingering++
  return new Promise((resolve) => {
    let thrownAway = 0
    const stop = () => {
      lingering--
      clearTimeout(timer)
      request.off('data', count).off('end', stop).off('close', stop)
      request.pause()
      resolve()
    }
    const count = (chunk: Uint8Array) => {
      thrownAway += chunk.length
      if (thrownAway > lingerBytes) stop()
    }
    const timer = setTimeout(stop, lingerMs)
    request.on('end', stop).on('close', stop).on('data', count).resume()
  })
}
