/**
 * Digests from the runtime where it has them, and from WebAssembly for the CRCs and xxHashes it lacks. One WebAssembly
 * instance per algorithm serves any number of streams: a stream keeps its own few bytes of state between chunks.
 */
import { createHash, hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Digest, DigestAlgorithm, Hashing } from '@varve/core'
import type { IHasher } from 'hash-wasm'
import { allDone } from '../files/all-done.ts'
import { plainBytes } from './plain-bytes.ts'
import { crcDigests, putUint32 } from './wasm-crc.ts'

const castagnoli = { polynomial: 0x82f63b78n, bits: 32 } as const
const nvme = { polynomial: 0x9a6c9329ac4bc9b5n, bits: 64 } as const

let loaded: Promise<Hashing> | undefined

/** Loads the WebAssembly parts, once in a process; all methods of the result are synchronous. */
export function nodeHashing(): Promise<Hashing> {
  loaded ??= load()
  return loaded
}

async function load(): Promise<Hashing> {
  const { createXXHash3, createXXHash64, createXXHash128 } = await import('hash-wasm')
  const [xxhash64, xxhash3, xxhash128] = await allDone([createXXHash64(), createXXHash3(), createXXHash128()])
  const makers: Readonly<Record<DigestAlgorithm, () => Digest>> = {
    MD5: () => nodeDigest('md5'),
    SHA1: () => nodeDigest('sha1'),
    SHA256: () => nodeDigest('sha256'),
    SHA512: () => nodeDigest('sha512'),
    CRC32: zlibDigest,
    CRC32C: crcDigests(castagnoli),
    CRC64NVME: crcDigests(nvme),
    XXHASH64: wasmDigests(xxhash64),
    XXHASH3: wasmDigests(xxhash3),
    XXHASH128: wasmDigests(xxhash128),
  }
  return {
    create: (algorithm) => makers[algorithm](),
    digest: (algorithm, bytes) => bytesOf(hash(algorithm, bytes, 'binary')),
    sha256: (bytes) => hash('sha256', bytes, 'base64url'),
    crc32: (bytes, seed = 0) => crc32(bytes, seed),
  }
}

/** The runtime makes a text in less time than a buffer. */
function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i)
  return bytes
}

function nodeDigest(name: string): Digest {
  const state = createHash(name)
  return {
    update: (chunk) => void state.update(chunk),
    finish: () => plainBytes(state.digest()),
  }
}

function zlibDigest(): Digest {
  let value = 0
  return {
    update(chunk) {
      value = crc32(chunk, value)
    },
    finish() {
      const bytes = new Uint8Array(4)
      putUint32(bytes, 0, value)
      return bytes
    },
  }
}

function wasmDigests(hasher: IHasher): () => Digest {
  const initial = hasher.init().save()
  return () => {
    let state = initial
    return {
      update(chunk) {
        state = hasher.load(state).update(chunk).save()
      },
      finish: () => hasher.load(state).digest('binary'),
    }
  }
}
