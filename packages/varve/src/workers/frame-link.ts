/**
 * Frames over a stream of bytes: length, kind, session, id, payload. The frames of one turn of the event loop are sent
 * in one write, since a write costs more than its content.
 */
import type { Duplex } from 'node:stream'

export interface Frame {
  readonly kind: number
  /** The session: it counts the openings of the store. */
  readonly session: number
  /** Connects a request with its answer, and the start of a read or snapshot with its end. */
  readonly id: number
  /** A view on a larger buffer, valid until the next turn: keep copies. */
  readonly payload: Buffer
}

export interface FrameLink {
  send(head: Omit<Frame, 'payload'>, ...payload: readonly Uint8Array[]): void
}

/** The bytes after the length: kind (1), session (2), id (4). */
const headBytes = 7

export function frameLink(stream: Duplex, onFrame: (frame: Frame) => void): FrameLink {
  let unsent: Uint8Array[] = []
  const flush = (): void => {
    const bytes = Buffer.concat(unsent)
    unsent = []
    // The other end may have died; this is detected elsewhere.
    if (stream.writable) stream.write(bytes)
  }
  stream.on('error', () => undefined)
  stream.on('data', frameReader(onFrame))
  return {
    send({ kind, session, id }, ...payload) {
      if (unsent.length === 0) setImmediate(flush)
      const head = Buffer.allocUnsafe(4 + headBytes)
      head.writeUInt32BE(
        payload.reduce((total, { length }) => total + length, headBytes),
        0,
      )
      head.writeUInt8(kind, 4)
      head.writeUInt16BE(session, 5)
      head.writeUInt32BE(id, 7)
      unsent.push(head, ...payload)
    },
  }
}

/** Returns a function that takes chunks as they arrive, and calls `onFrame` for each complete frame. */
function frameReader(onFrame: (frame: Frame) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = []
  let size = 0
  let needed = 4
  return (chunk) => {
    chunks.push(chunk)
    size += chunk.length
    if (size < needed) return
    const bytes = chunks.length === 1 ? chunk : Buffer.concat(chunks, size)
    let at = 0
    needed = 4
    while (bytes.length - at >= 4) {
      const length = bytes.readUInt32BE(at)
      needed = 4 + length
      if (bytes.length - at < needed) break
      onFrame({
        kind: bytes.readUInt8(at + 4),
        session: bytes.readUInt16BE(at + 5),
        id: bytes.readUInt32BE(at + 7),
        payload: bytes.subarray(at + 4 + headBytes, at + needed),
      })
      at += needed
      needed = 4
    }
    const rest = bytes.subarray(at)
    chunks = rest.length === 0 ? [] : [rest]
    size = rest.length
  }
}
