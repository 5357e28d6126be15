/**
 * What the store of a test is made of, in one word: a layout, or `<journal>+inline`, where all bytes ride in the journal.
 * The suites take it as `--layout`. The tests take it from VARVE_LAYOUT, which may also be `memory` or `postgres+s3`.
 */
import { mkdir } from 'node:fs/promises'
import { type LayoutName, layoutOf } from '@varve/adapters'
import { memoryStore, type OpenStoreOptions, openStore, type Store } from 'varve'

export type MakingName = LayoutName | `${string}+inline`

/** The largest size that can be set for inline bytes in the journal. */
const inlineMax = 16 * 1024 * 1024

/** @throws StorageError `InvalidArgument` for what is no layout */
export function makingOf(name: string | undefined): Pick<OpenStoreOptions, 'layout' | 'inlineMax'> {
  if (name === undefined) return {}
  const journal = /^(\w+)\+inline$/.exec(name)?.[1]
  return journal === undefined
    ? { layout: layoutOf(name).name }
    : { layout: layoutOf(`${journal}+files`).name, inlineMax }
}

/** The option of a suite. @throws StorageError `InvalidArgument` for what is no layout */
export function makingNamed(name: string | undefined): MakingName | undefined {
  makingOf(name)
  return name as MakingName | undefined
}

/** For the line that runs something again. */
export const layoutWords = (name: string | undefined): string => (name === undefined ? '' : ` --layout ${name}`)

const given = process.env['VARVE_LAYOUT']
export const isGiven = given !== undefined
/** A store of this run outlives being closed. */
const isLasting = given !== 'memory'
/** Its directory has a socket, over which others reach it. */
export const hasSocket = isLasting && given !== 'postgres+s3'
/** A body of some mebibytes is a file of its own while it is there and while it comes: what tests that look at files need. */
export const hasLargeFiles = given === undefined || /\+(files|tiered)$/.test(given)
/** Of the stores that a server with several workers can have, which are those whose blobs are files. */
export const givenJournal = /^(\w+)\+/.exec(given ?? '')?.[1]

/** A store of this run. `options` have the last word. */
export async function openGiven(dir: string, options: OpenStoreOptions = {}): Promise<Store> {
  if (given === 'postgres+s3') {
    // Other programs need not load it.
    const { openShared } = await import('./shared-parts.ts')
    return openShared(dir, options)
  }
  if (isLasting) return openStore(dir, { ...makingOf(given), ...options })
  await mkdir(dir, { recursive: true })
  return memoryStore(options)
}
