/** Reads one HTTP response from its pieces: a body with a length or in chunks, or none. */

export interface Answer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
}

export interface AnswerReader {
  /** The whole response, once it is complete. @throws Error for an invalid response */
  add(piece: Buffer): Answer | undefined
}

/** `bodiless` for the response to HEAD. */
export function answerReader(bodiless: boolean): AnswerReader {
  let pieces: Buffer[] = []
  let received = 0
  let head: { status: number; headers: Map<string, string>; length: number } | undefined
  let wanted = 0

  const joined = (): Buffer => {
    const all = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)
    pieces = [all]
    return all
  }

  const readHead = (): void => {
    const all = joined()
    const end = all.indexOf('\r\n\r\n')
    if (end < 0) return
    head = { ...parseHead(all.toString('latin1', 0, end)), length: end + 4 }
    const length = head.headers.get('content-length')
    const none = bodiless || head.status === 204 || head.status === 304
    if (none) wanted = head.length
    else if (length !== undefined) wanted = head.length + Number(length)
    else wanted = Number.POSITIVE_INFINITY
  }

  return {
    add(piece) {
      pieces.push(piece)
      received += piece.length
      if (head === undefined) readHead()
      if (head === undefined) return undefined
      const { status, headers, length } = head
      if (wanted === Number.POSITIVE_INFINITY) {
        if (headers.get('transfer-encoding') !== 'chunked') throw new Error('An answer without length or chunks.')
        const body = unchunked(joined().subarray(length))
        return body && { status, headers, body }
      }
      return received < wanted ? undefined : { status, headers, body: joined().subarray(length, wanted) }
    },
  }
}

function parseHead(text: string): { status: number; headers: Map<string, string> } {
  const [statusLine = '', ...lines] = text.split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1])
  if (Number.isNaN(status)) throw new Error('What answers does not speak HTTP/1.1.')
  const headers = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim())
  }
  return { status, headers }
}

/** `undefined` until the last chunk has arrived. */
function unchunked(bytes: Buffer): Buffer | undefined {
  const chunks: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    const start = lineEnd + 2
    if (bytes.length < start + size + 2) return undefined
    if (size === 0) return Buffer.concat(chunks)
    chunks.push(bytes.subarray(start, start + size))
    at = start + size + 2
  }
}
