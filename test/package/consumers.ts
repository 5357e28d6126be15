/** Programs of users, one for each way to compile and load a package. Each one prints `hello` and `true`. */

export interface Consumer {
  readonly title: string
  readonly file: string
  readonly source: string
  readonly module: 'node16' | 'nodenext' | 'esnext' | 'commonjs'
  readonly moduleResolution: 'node16' | 'nodenext' | 'bundler' | 'node10'
  /** Where the compiler writes it. */
  readonly output: string
  /** Bundled after it was compiled. */
  readonly isBundled?: true
  /** Compiled by TypeScript 5, because newer ones do not resolve modules in this way. */
  readonly isOlder?: true
}

/** Every entry point for its types, and a store in a directory. */
const byImport = `
import { memoryBlobs, memoryJournal } from '@varve/adapters'
import { isStorageError } from '@varve/core'
import { journalContract } from '@varve/core/contracts'
import { emptyState, type ModelState } from '@varve/core/model'
import type { BlobStore, Journal } from '@varve/core/ports'
import type { Handler } from '@varve/http'
import { openStore, type OpenStoreOptions, type Store } from 'varve'
import { createHandler } from 'varve/http'
import { startS3, type TestS3 } from 'varve/testing'

export type Parts = readonly [BlobStore, Handler, ModelState, TestS3]
const options: OpenStoreOptions = { retentionMs: 0 }
const journal: Journal = await memoryJournal()
const blobs: BlobStore = memoryBlobs()
const onParts: Store = await openStore({ journal, blobs })
await onParts.buckets.create('photos')
await onParts.close()
const store: Store = await openStore(process.argv[2] ?? 'no directory given', options)
await store.buckets.create('photos')
await store.objects.put('photos', 'a.txt', 'hello')
console.log(await (await store.objects.get('photos', 'a.txt')).text())
const error: unknown = await store.objects.get('missing', 'a.txt').catch((reason: unknown) => reason)
const others = [createHandler, journalContract, emptyState, startS3].every((value) => value !== undefined)
console.log(isStorageError(error, 'NoSuchBucket') && others)
await store.close()
`

const byRequire = `
import type { Journal } from '@varve/core/ports'
import varve = require('varve')
import http = require('varve/http')
import testing = require('varve/testing')

export type Part = Journal
async function main(): Promise<void> {
  const store: varve.Store = await varve.memoryStore()
  await store.buckets.create('photos')
  await store.objects.put('photos', 'a.txt', 'hello')
  console.log(await (await store.objects.get('photos', 'a.txt')).text())
  console.log(typeof http.createHandler === 'function' && typeof testing.startS3 === 'function')
  await store.close()
}
void main()
`

const byOlderCompiler = `
import { memoryStore, type Store } from 'varve'
import { createHandler } from 'varve/http'
import { createMetrics } from 'varve/metrics'
import { startS3, type TestS3 } from 'varve/testing'
import type { Journal } from '@varve/core/ports'

export type Parts = readonly [Journal, TestS3]
async function main(): Promise<void> {
  const store: Store = await memoryStore()
  await store.buckets.create('photos')
  await store.objects.put('photos', 'a.txt', 'hello')
  console.log(await (await store.objects.get('photos', 'a.txt')).text())
  console.log([createHandler, createMetrics, startS3].every((value) => typeof value === 'function'))
  await store.close()
}
void main()
`

export const consumers: readonly Consumer[] = [
  {
    title: 'an ES module, moduleResolution node16',
    file: 'node16.mts',
    source: byImport,
    module: 'node16',
    moduleResolution: 'node16',
    output: 'node16.mjs',
  },
  {
    title: 'an ES module, moduleResolution nodenext',
    file: 'nodenext.mts',
    source: byImport,
    module: 'nodenext',
    moduleResolution: 'nodenext',
    output: 'nodenext.mjs',
  },
  {
    title: 'a bundle, moduleResolution bundler',
    file: 'bundler.mts',
    source: byImport,
    module: 'esnext',
    moduleResolution: 'bundler',
    output: 'bundler.mjs',
    isBundled: true,
  },
  {
    title: 'a CommonJS module',
    file: 'commonjs.cts',
    source: byRequire,
    module: 'nodenext',
    moduleResolution: 'nodenext',
    output: 'commonjs.cjs',
  },
  {
    title: 'a CommonJS module, moduleResolution node10',
    file: 'node10.ts',
    source: byOlderCompiler,
    module: 'commonjs',
    moduleResolution: 'node10',
    output: 'node10.js',
    isOlder: true,
  },
]

/** Native addons, which no bundle can contain, and optional packages. */
export const unbundled: readonly string[] = ['fs-native-extensions', 'level', 'libsql', 'lmdb', '@aws-sdk/client-s3']
