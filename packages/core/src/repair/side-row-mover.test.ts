import { describe, expect, it } from 'vitest'
import { StorageError } from '../base/errors.ts'
import type { Journal } from '../ports/index.ts'
import { type MemoryJournal, memoryJournal } from '../api/memory-ports.fixture.ts'
import { inlineTable } from '../views/tables.ts'
import { SideRowMover } from './side-row-mover.ts'

const ids = ['d', 'a', 'c', 'b']
const bytesOf = (id: string) => Uint8Array.of(id.charCodeAt(0))

async function journalWith(some: readonly string[]): Promise<MemoryJournal> {
  const journal = memoryJournal()
  const rows = some.map((id) => ({ key: inlineTable.key(id), value: bytesOf(id) }))
  await journal.commit({ expectedHead: 0, events: [], rows })
  return journal
}

async function move(from: Journal, into: Journal, some: readonly string[] = ids): Promise<number> {
  let moved = 0
  const mover = new SideRowMover({ from, into, key: inlineTable.key, onMoved: (count) => (moved += count) })
  for (const id of some) await mover.take(id)
  await mover.flush()
  return moved
}

const idsIn = ({ rows }: MemoryJournal) => [...rows.values()].map(([key]) => inlineTable.id(key))

describe('moving inline bytes', () => {
  it('brings them in the order of their keys', async () => {
    const [from, into] = [await journalWith(ids), memoryJournal()]
    expect(await move(from, into)).toBe(ids.length)
    expect(idsIn(into)).toEqual(['a', 'b', 'c', 'd'])
    expect(await into.get(inlineTable.key('c'))).toEqual(bytesOf('c'))
  })

  it('brings once what is named more than once, and nothing that is there', async () => {
    const [from, into] = [await journalWith(ids), await journalWith(['b'])]
    const before = into.commits
    expect(await move(from, into, ['b', 'a', 'a', 'b'])).toBe(4)
    expect(idsIn(into)).toEqual(['b', 'a'])
    await move(from, into, ['a', 'b'])
    expect(into.commits - before).toBe(1)
  })

  it('leaves out what a damaged journal cannot give, and no more', async () => {
    const [sound, into] = [await journalWith(ids), memoryJournal()]
    const failed = () => Promise.reject(new StorageError('JournalFailed', 'A block is damaged.'))
    const bad = inlineTable.key('b').join()
    const from = {
      ...sound,
      getMany: failed,
      get: (key: Uint8Array) => (key.join() === bad ? failed() : sound.get(key)),
    }
    await move(from, into)
    expect(idsIn(into)).toEqual(['a', 'c', 'd'])
  })
})
