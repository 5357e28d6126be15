/**
 * The session of the SDKs. Each has a small program of its own (in `programs`), and all of them do the same: they store,
 * fetch, list, copy, version, delete, presign, and leave what they got in files, which are looked at here.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { oddKeys } from '../../acceptance/clients/odd-keys.ts'
import { sameBytes, sameFile } from './material.ts'
import type { Scene } from './scene.ts'
import { expect } from './session.ts'

export const whatSdksDo =
  'put, get, range, copy, 20 MiB in parts, odd keys listed in pages and deleted at once, versions, a refused conditional request, presigned GET and PUT'

export interface SdkProgram {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  /** The SDK has requests with conditions; default: yes. */
  readonly conditions?: boolean
  /** Keys the SDK cannot send as they are. */
  readonly unsendable?: readonly string[]
}

/** XML has no U+FFFF, and the answer to a deletion names its key: strict readers give up on all of it, as with S3. */
const carried = oddKeys.filter((key) => !key.includes('\u{ffff}'))

/** A file of `programs`, which are not compiled and stay where they are. */
export function programFile(name: string): string {
  return fileURLToPath(new URL(`../../../clients/programs/${name}`, import.meta.url))
}

export async function runSdk(scene: Scene, { command, args, env, ...sdk }: SdkProgram): Promise<void> {
  const { small, large, empty } = scene.material
  const out = join(scene.dir, 'out')
  await mkdir(out)
  const keys = carried.filter((key) => sdk.unsendable?.includes(key) !== true)
  const keysFile = join(scene.dir, 'keys')
  await writeFile(keysFile, keys.map(encodeURIComponent).join('\n'))
  const reported = {
    VARVE_OUT: out,
    VARVE_BUCKET: scene.bucket,
    VARVE_SMALL: small,
    VARVE_LARGE: large,
    VARVE_KEYS: keysFile,
    VARVE_HOSTED_ENDPOINT: `http://localhost:${scene.port}`,
  }
  await scene.call(command, args, { env: { ...reported, ...env } })

  for (const name of ['small', 'large', 'empty'] as const) await sameFile(join(out, name), scene.material[name])
  await sameFile(join(out, 'old'), small)
  const bytes = await readFile(large)
  sameBytes(await readFile(join(out, 'range')), bytes.subarray(1000, 2000), 'the range')
  await scene.stored('kept/small', small)
  await scene.stored('kept/copy', small)
  await scene.stored('kept/large', large)
  await scene.stored('empty', empty)
  await scene.inParts('kept/large')
  expect((await readText(out, 'gone')) === '404', 'the deleted object answers 404')
  if (sdk.conditions !== false) expect((await readText(out, 'refused')) === '412', 'the condition is refused with 412')

  const listed = (await readText(out, 'listed')).split('\n').map(decodeURIComponent)
  expect(same(listed, keys), `the odd keys are listed: ${differences(listed, keys)}`)
  const left = (await scene.keys()).filter((key) => key.startsWith('odd/'))
  expect(left.length === 0, 'the odd keys are deleted')

  sameBytes(await scene.fetch(await readText(out, 'url')), bytes, 'what the presigned address gave')
  await scene.fetch(await readText(out, 'put-url'), 'PUT', await readFile(small))
  await scene.stored('kept/presigned', small)
}

function readText(dir: string, name: string): Promise<string> {
  return readFile(join(dir, name), 'utf8')
}

/** In whatever order: pages keep that of bytes, which is for other tests to look at. */
function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && differences(a, b) === 'none differ'
}

function differences(found: readonly string[], wanted: readonly string[]): string {
  const missing = wanted.filter((key) => !found.includes(key))
  const added = found.filter((key) => !wanted.includes(key))
  if (missing.length + added.length === 0) return 'none differ'
  return `missing ${JSON.stringify(missing)}, not asked for ${JSON.stringify(added)}`
}
