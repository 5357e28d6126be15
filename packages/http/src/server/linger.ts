import type { IncomingMessage } from 'node:http'

/** How long a refused client is still read. */
export const lingerMs = 1000
const lingerBytes = 8 * 1024 * 1024

/** Of so many at once. Others that go on sending may miss why they were refused. */
const lingeringMax = 32
let lingering = 0

/**
 * Throws away what a client still sends, for a moment. A connection closed with unread bytes is reset, and the reset can
 * overtake the answer: the client would see a broken pipe instead of the reason.
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
