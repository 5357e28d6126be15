/** The SHA-256 of a body, so that the signature covers the bytes too. */

import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { sha256Hex } from './sign.ts'

const sliceBytes = 1024 ** 2
/** A larger body is read piece by piece, because the browser's own digest needs all of it in memory. */
const digestBytesMax = 64 * 1024 ** 2

export async function payloadHashOf(body: string | Blob | undefined): Promise<string> {
  if (!(body instanceof Blob)) return sha256Hex(body ?? '')
  // A page that was loaded over HTTP from another machine has no `subtle`.
  const subtle = (globalThis.crypto as Partial<Crypto> | undefined)?.subtle
  if (subtle === undefined || body.size > digestBytesMax) return hashInSlices(body)
  return bytesToHex(new Uint8Array(await subtle.digest('SHA-256', await body.arrayBuffer())))
}

/** Reading a slice lets the page go on in between. */
export async function hashInSlices(body: Blob): Promise<string> {
  const hash = sha256.create()
  for (let start = 0; start < body.size; start += sliceBytes) {
    hash.update(new Uint8Array(await body.slice(start, start + sliceBytes).arrayBuffer()))
  }
  return bytesToHex(hash.digest())
}
