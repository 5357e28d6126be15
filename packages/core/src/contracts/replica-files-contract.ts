/** The promises of every `ReplicaFiles`. */
import type { ReplicaFiles } from '../ports/index.ts'
import { assert, assertBytes, assertEqual, failureOf } from './assert.ts'
import { type ContractCase, contractCase, type OpenFresh } from './contract.ts'
import { bytesOf, chunked, pattern } from './material.ts'

/** Files of a replica that can be closed, as the cases close what they open. */
export interface OpenReplicaFiles extends ReplicaFiles {
  close(): Promise<void>
}

const put = (files: ReplicaFiles, name: string, bytes: Uint8Array): Promise<boolean> =>
  files.create(name, chunked(bytes, 1000))

async function names(files: ReplicaFiles, prefix: string): Promise<readonly string[]> {
  const found: string[] = []
  for await (const { name } of files.list(prefix)) found.push(name)
  return found
}

/** The cases that all files of replicas must pass. */
export const replicaFilesContract: readonly ContractCase<OpenFresh<OpenReplicaFiles>>[] = [
  contractCase<OpenReplicaFiles>('gives back what was written, also after it was opened again', async (subject) => {
    const [short, long] = [pattern(7), pattern(10_000_001, 2)]
    assert(await put(subject.now, 'log/0/1-1', short), 'the file was created')
    assert(await put(subject.now, 'log/0/2-1', long), 'the file was created')
    assert(await put(subject.now, 'terms/1', bytesOf()), 'an empty file was created')
    const files = await subject.reopen()
    assertBytes(await files.read('log/0/1-1'), short, 'the short file')
    assertBytes(await files.read('log/0/2-1'), long, 'the long file')
    assertBytes(await files.read('terms/1'), bytesOf(), 'the empty file')
  }),

  contractCase<OpenReplicaFiles>('never replaces a file', async ({ now: files }) => {
    assert(await put(files, 'a', bytesOf(1)), 'the file was created')
    assert(!(await put(files, 'a', bytesOf(2))), 'a second file of this name is refused')
    assertBytes(await files.read('a'), bytesOf(1), 'the file')
  }),

  contractCase<OpenReplicaFiles>('lets one of several creations at once win', async ({ now: files }) => {
    const created = await Promise.all([1, 2, 3, 4].map((n) => put(files, 'terms/7', pattern(5000, n))))
    assertEqual(created.filter(Boolean).length, 1, 'creations')
    assertBytes(await files.read('terms/7'), pattern(5000, created.indexOf(true) + 1), 'the file')
  }),

  contractCase<OpenReplicaFiles>('reads any range of a file', async ({ now: files }) => {
    const bytes = pattern(300_000)
    await put(files, 'a/b', bytes)
    for (const [start, end] of [
      [0, 1],
      [0, 300_000],
      [299_999, 300_000],
      [1000, 2001],
    ] as const)
      assertBytes(await files.read('a/b', { start, end }), bytes.subarray(start, end), `${start} to ${end}`)
  }),

  contractCase<OpenReplicaFiles>('has no file of a name that was not written', async ({ now: files }) => {
    await put(files, 'a/b', bytesOf(1))
    assertEqual(await files.read('a'), undefined, 'the name of a folder')
    assertEqual(await files.read('a/c'), undefined, 'another name')
    assertEqual(await files.read('b/c/d'), undefined, 'a name in no folder')
  }),

  contractCase<OpenReplicaFiles>(
    'lists the files of a prefix in the order of their names, with their sizes',
    async (subject) => {
      const files = subject.now
      const some = Array.from({ length: 25 }, (_, n) => `log/0/${String((n * 7) % 25).padStart(4, '0')}`)
      for (const [n, name] of some.entries()) await put(files, name, pattern(n + 1))
      await put(files, 'log/1/0001', bytesOf(1))
      await put(files, 'logs', bytesOf(1))
      const sorted = [...some].sort()
      assertEqual((await names(files, 'log/0/')).join(), sorted.join(), 'the names')
      assertEqual((await names(files, 'log/')).join(), [...sorted, 'log/1/0001'].join(), 'the names below a folder')
      assertEqual((await names(files, 'log/0/0001')).join(), 'log/0/0001', 'the names with a prefix')
      assertEqual((await names(files, 'none/')).join(), '', 'no names')
      for await (const { name, size } of files.list('log/0/'))
        assertEqual(size, some.indexOf(name) + 1, `size of ${name}`)
    },
  ),

  contractCase<OpenReplicaFiles>('deletes files, and absent ones are no error', async ({ now: files }) => {
    for (const name of ['a/1', 'a/2', 'a/3']) await put(files, name, bytesOf(1))
    await files.delete(['a/1', 'a/3', 'a/4', 'b'])
    await files.delete([])
    assertEqual((await names(files, '')).join(), 'a/2', 'the names')
    assert(await put(files, 'a/1', bytesOf(2)), 'a deleted file can be created again')
  }),

  contractCase<OpenReplicaFiles>('shows nothing of a file whose source failed', async ({ now: files }) => {
    const broken = new Error('broken')
    async function* source(): AsyncGenerator<Uint8Array> {
      yield pattern(9_000_000)
      throw broken
    }
    assertEqual((await failureOf(() => files.create('a', source())))?.error, broken, 'the error')
    assertEqual((await names(files, '')).length, 0, 'files')
    assert(await put(files, 'a', bytesOf(1)), 'the file was created')
  }),
]
