/**
 * What every client transfers: the same bytes under the same names, so that one comparison shows whether they arrived.
 */
import { createHash, randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const largeBytes = 20 * 1024 * 1024 + 12_345

export interface Material {
  readonly dir: string
  /** Every byte there is, and a few: 1 KiB. */
  readonly small: string
  /** Beyond the 8 MiB at which clients begin to send parts, and no multiple of anything. */
  readonly large: string
  readonly empty: string
}

export async function makeMaterial(dir: string): Promise<Material> {
  const material = { dir, small: join(dir, 'small'), large: join(dir, 'large'), empty: join(dir, 'empty') }
  await writeFile(
    material.small,
    Buffer.from(Array.from({ length: 1024 }, (_, at) => (at * 7 + Math.floor(at / 256)) % 256)),
  )
  await writeFile(material.large, randomBytes(largeBytes))
  await writeFile(material.empty, '')
  return material
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** @throws Error if the two files differ in a byte */
export async function sameFile(found: string, wanted: string): Promise<void> {
  sameBytes(await readFile(found), await readFile(wanted), found)
}

/** @throws Error if the two differ in a byte */
export function sameBytes(found: Uint8Array, wanted: Uint8Array, what: string): void {
  if (sha256(found) === sha256(wanted)) return
  throw new Error(`${what}: ${found.length} bytes, not the ${wanted.length} that were stored, or others.`)
}
