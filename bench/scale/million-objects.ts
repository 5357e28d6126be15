/**
 * One bucket with a million small objects: put through the library, listed whole, listed by delimiter, reopened; then
 * one key with a hundred thousand versions is compared with a key with one. Prints a line per step; VARVE_OBJECTS sets
 * the count.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type Store } from 'varve'
import { inFlight, medianOf, timed } from '../lib/measure.ts'

const objects = Number(process.env['VARVE_OBJECTS'] ?? 1_000_000)
const width = 256
const prefixes = 10
const versions = Number(process.env['VARVE_VERSIONS'] ?? 100_000)

const directory = await mkdtemp(join(tmpdir(), 'varve-million-'))
try {
  let store = await openStore(directory)
  await store.buckets.create('many')
  await timed(`put ${objects} objects of 100 bytes, ${width} in flight`, objects, () => putAll(store))
  await timed('list all', objects, () => countAll(store))
  for (let round = 0; round < 5; round++) {
    await timed(`list by delimiter, ${prefixes} prefixes`, prefixes, () => countPrefixes(store))
  }
  await timed('close', 1, () => store.close())
  store = await timed('open again', 1, () => openStore(directory))
  await timed('list all, after opening', objects, () => countAll(store))
  await store.buckets.setVersioning('many', 'Enabled')
  await compareVersions(store)
  await store.close()
} finally {
  await rm(directory, { recursive: true, force: true })
}

async function putAll(store: Store): Promise<void> {
  const body = Buffer.alloc(100, 'v')
  await inFlight(width, objects, (i) =>
    store.objects.put('many', `${i % prefixes}/${String(i).padStart(8, '0')}`, body),
  )
}

async function countAll(store: Store): Promise<void> {
  let count = 0
  for await (const _ of store.objects.list('many')) count++
  if (count !== objects) throw new Error(`Listed ${count} of ${objects}.`)
}

async function countPrefixes(store: Store): Promise<void> {
  const page = await store.objects.listPage('many', { delimiter: '/' })
  if (page.entries.length !== prefixes) throw new Error(`Listed ${page.entries.length} prefixes.`)
}

/** Medians of put, head and delete in interleaved rounds, on a key with one version and on one with thousands. */
async function compareVersions(store: Store): Promise<void> {
  await timed(`put ${versions} versions of one key`, versions, () =>
    inFlight(width, versions, () => store.objects.put('many', 'deep', 'v')),
  )
  const times = new Map<string, number[]>()
  const time = async (label: string, work: () => Promise<unknown>): Promise<void> => {
    const before = performance.now()
    await work()
    const list = times.get(label) ?? []
    list.push(performance.now() - before)
    times.set(label, list)
  }
  for (let round = 0; round < 200; round++) {
    for (const key of ['deep', `flat-${round}`]) {
      const kind = key === 'deep' ? 'deep' : 'flat'
      await time(`put ${kind}`, () => store.objects.put('many', key, 'v'))
      await time(`head ${kind}`, () => store.objects.head('many', key))
      await time(`delete ${kind}`, () => store.objects.delete('many', key))
    }
  }
  for (const operation of ['put', 'head', 'delete']) {
    const [deep, flat] = ['deep', 'flat'].map((kind) => medianOf(times.get(`${operation} ${kind}`) ?? [])) as [
      number,
      number,
    ]
    console.log(
      `${operation}: ${versions} versions ${deep.toFixed(3)} ms, one version ${flat.toFixed(3)} ms, ratio ${(deep / flat).toFixed(2)}`,
    )
  }
}
