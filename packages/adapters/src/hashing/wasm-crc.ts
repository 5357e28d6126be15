/** CRCs that Node lacks. All streams of one CRC share an instance: each keeps only its value between two chunks. */
import type { Digest } from '@varve/core'
import { bytesAt, bytesMax, crcModule, fillTables } from './crc-module.ts'

/** The global of this name, by shape: neither the types of the language nor those of Node have it. */
interface WebAssemblyGlobal {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (
    module: object,
  ) => {
    readonly exports: {
      readonly memory: { readonly buffer: ArrayBuffer }
      readonly update: (at: number, end: number, crc: bigint) => bigint
    }
  }
}

export interface CrcKind {
  /** In reflected bit order. */
  readonly polynomial: bigint
  readonly bits: 32 | 64
}

/** The tables are made at the first call. */
export function crcDigests({ polynomial, bits }: CrcKind): () => Digest {
  let update: ((crc: bigint, chunk: Uint8Array) => bigint) | undefined
  return () => {
    update ??= crcUpdate(polynomial)
    const continued = update
    const ones = (1n << BigInt(bits)) - 1n
    let crc = ones
    return {
      update(chunk) {
        crc = continued(crc, chunk)
      },
      finish() {
        const value = crc ^ ones
        const bytes = new Uint8Array(bits / 8)
        if (bits === 64) putUint32(bytes, 0, Number(value >> 32n))
        putUint32(bytes, bits / 8 - 4, Number(value & 0xffffffffn))
        return bytes
      },
    }
  }
}

/** Big-endian. Without a view of a buffer: such a short array would first have to get one. */
export function putUint32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24
  bytes[at + 1] = value >>> 16
  bytes[at + 2] = value >>> 8
  bytes[at + 3] = value
}

function crcUpdate(polynomial: bigint): (crc: bigint, chunk: Uint8Array) => bigint {
  const { Module, Instance } = (globalThis as unknown as { readonly WebAssembly: WebAssemblyGlobal }).WebAssembly
  const { memory, update } = new Instance(new Module(crcModule)).exports
  fillTables(memory.buffer, polynomial)
  const bytes = new Uint8Array(memory.buffer, bytesAt, bytesMax)
  return (crc, chunk) => {
    let value = crc
    for (let at = 0; at < chunk.length; at += bytesMax) {
      const piece = chunk.length <= bytesMax ? chunk : chunk.subarray(at, at + bytesMax)
      bytes.set(piece)
      value = BigInt.asUintN(64, update(bytesAt, bytesAt + piece.length, value))
    }
    return value
  }
}
