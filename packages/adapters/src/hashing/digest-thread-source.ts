/**
 * The source code of a digest thread, as text: no bundler, archive or loader has to find a file for it. It needs
 * nothing but Node, and sleeps in `Atomics.wait`, so bytes reach it without a message. `DigestThread` is its
 * counterpart; `DigestRing` defines its numbers.
 */
import { entryKind } from './digest-ring.ts'

export const digestThreadSource = `'use strict'
const { createHash } = require('node:crypto')
const { parentPort, workerData } = require('node:worker_threads')
const { shared, slots, slotStride, dataAt, names } = workerData
const words = new Int32Array(shared, 0, dataAt / 4)
const data = new Uint8Array(shared, dataAt)
const streams = new Map()

function take(stream, kind, value, length) {
  switch (kind) {
    case ${entryKind.open}:
      return streams.set(stream, names.filter((_, i) => value & (1 << i)).map((name) => createHash(name)))
    case ${entryKind.bytes}:
      for (const hash of streams.get(stream)) hash.update(data.subarray(value, value + length))
      return
    case ${entryKind.finish}:
      parentPort.postMessage({ stream, digests: streams.get(stream).map((hash) => Uint8Array.from(hash.digest())) })
  }
  streams.delete(stream)
}

parentPort.postMessage('ready')
for (let taken = 0; ; ) {
  if (Atomics.load(words, 0) === taken) {
    Atomics.wait(words, 0, taken)
    continue
  }
  const at = 4 + (taken & (slots - 1)) * 4
  take(words[at], words[at + 1], words[at + 2], words[at + 3])
  taken = (taken + 1) | 0
  Atomics.store(words, 1, taken)
  const left = (Atomics.load(words, 0) - taken) | 0
  if (left <= slots / 2 && Atomics.compareExchange(words, 2, 1, 0) === 1) parentPort.postMessage('room')
}
`
