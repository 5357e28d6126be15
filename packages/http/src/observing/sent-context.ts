/** Longer values would let a client fill the disk with its own text. */
const userAgentMax = 512
const traceparent = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(?:-.*)?$/
const nothing = /^0+$/

interface Context {
  userAgent?: string
  traceId?: string
}

/**
 * Notes what the headers of a request report about its client. The names are compared by length first, because this runs for every
 * request that is logged.
 */
export function noteContext(found: Context, rawHeaders: readonly string[]): void {
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    const value = rawHeaders[at + 1] as string
    if (name.length === 10 && name.toLowerCase() === 'user-agent') found.userAgent = shortened(value)
    else if (name.length === 11 && name.toLowerCase() === 'traceparent') {
      const traceId = traceIdOf(value)
      if (traceId !== undefined) found.traceId = traceId
    }
  }
}

const shortened = (text: string): string => (text.length > userAgentMax ? `${text.slice(0, userAgentMax)}…` : text)

/** The trace of a `traceparent` header; `undefined` for one that W3C Trace Context calls invalid. */
function traceIdOf(value: string): string | undefined {
  const [, traceId = '', parentId = ''] = traceparent.exec(value) ?? []
  return traceId === '' || value.startsWith('ff') || nothing.test(traceId) || nothing.test(parentId)
    ? undefined
    : traceId
}
