import { expect, it } from 'vitest'
import { CommitTurn } from './commit-turn.ts'
import { journalGate } from './journal-gate.ts'

const commit = { events: [], rows: [{ key: new Uint8Array(1), value: null }] }

/** A turn whose writes take a while, and what runs at once at most. */
function observed() {
  let running = 0
  let most = 0
  let head = 0
  const work = async (count: number): Promise<void> => {
    most = Math.max(most, ++running)
    for (let i = 0; i < 5; i++) await Promise.resolve()
    running--
    head += count
  }
  const turn = new CommitTurn({
    gate: journalGate(),
    head: () => head,
    rows: { getMany: async () => [] },
    write: (commits) => work(commits.length),
  })
  return { turn, work, most: () => most, head: () => head }
}

it('runs what is to be alone beside no commit and beside nothing else, whenever they come', async () => {
  for (let ticks = 0; ticks < 40; ticks++) {
    const { turn, work, most, head } = observed()
    const all: Promise<unknown>[] = [turn.commit(commit)]
    for (let i = 0; i < 3; i++) all.push(turn.alone(() => work(0)))
    for (let i = 0; i < ticks; i++) await Promise.resolve()
    all.push(
      turn.commit(commit),
      turn.alone(() => work(0)),
      turn.commit(commit),
    )
    await Promise.all(all)
    expect([most(), head()], `after ${ticks} ticks`).toEqual([1, 3])
  }
})
