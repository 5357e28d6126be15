/**
 * Buffers that long bodies are received into. They are used again and again: V8 scans the heap for every few megabytes
 * of new ones, which cost a PUT of 1 MiB more than its MD5.
 */

import { MessageChannel, type MessagePort } from 'node:worker_threads'

const bufferBytes = 256 * 1024
const keptMax = 16
/** A slow client may hold a buffer for as long as it likes: from so many in use on, new ones are small. */
const manyTaken = 64
const smallBytes = 64 * 1024

const kept: Uint8Array[] = []
let taken = 0

export function takeBuffer(): Uint8Array {
  taken++
  if (taken > manyTaken) return Buffer.allocUnsafeSlow(smallBytes)
  return kept.pop() ?? Buffer.allocUnsafeSlow(bufferBytes)
}

/** Call it once for each buffer taken. `isFree`: nothing reads its bytes any more. */
export function giveBuffer(buffer: Uint8Array, isFree: boolean): void {
  taken--
  if (isFree && buffer.length === bufferBytes && kept.length < keptMax) kept.push(buffer)
}

let nowhere: MessagePort | undefined

function closedPort(): MessagePort {
  const { port1 } = new MessageChannel()
  port1.close()
  return port1
}

/**
 * Frees the memory of a chunk at once, unless it belongs to a larger buffer. What is sent to a closed port is dropped.
 * The next chunk then gets memory that is still in the cache of the processor.
 */
export function freeChunk({ buffer, length }: Uint8Array): void {
  if (buffer.byteLength !== length) return
  nowhere ??= closedPort()
  nowhere.postMessage(undefined, [buffer as ArrayBuffer])
}
