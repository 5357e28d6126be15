import { describe, expect, it } from 'vitest'
import { type MemoryPorts, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Commit, Timer } from '../ports/index.ts'
import { Membership, membershipMs } from '../sharing/membership.ts'

function sharedPorts(): MemoryPorts {
  const ports = memoryPorts()
  ports.journal.exclusive = false
  return ports
}

const isOfViews = ({ events, outsideLog }: Commit): boolean => events.length === 0 && outsideLog !== true

/** Each commit of views takes a third of the time after which others count an engine as gone, and the others look. */
async function slowViews(ports: MemoryPorts): Promise<void> {
  const watcher = await Membership.join(
    ports,
    () => 0,
    () => undefined,
  )
  const { commit } = ports.journal
  ports.journal.commit = async (given: Commit) => {
    if (isOfViews(given)) {
      ports.clock.time += membershipMs / 3
      await watcher.others()
    }
    return commit(given)
  }
}

describe('an engine that works', () => {
  it('stays a member while it computes the views of a large log as it opens', async () => {
    const ports = sharedPorts()
    const writer = await openEngine(ports)
    await writer.buckets.create('box')
    await Promise.all(Array.from({ length: 1500 }, (_, i) => writer.objects.put('box', `k${i}`, 'v')))
    await writer.close()
    for (const name of ports.journal.rows.keys()) if (name.charCodeAt(0) < 0x90) ports.journal.rows.delete(name)
    await slowViews(ports)
    const store = await openEngine(ports)
    expect((await store.objects.listPage('box', { limit: 1000 })).isTruncated).toBe(true)
  })

  it('stays a member while its looks at the log wait', async () => {
    const ports = sharedPorts()
    const pauses: { readonly ms: number; go(): void }[] = []
    const timer: Timer = {
      pause: (ms) => new Promise((go) => pauses.push({ ms, go })),
      nextTurn: () => new Promise(setImmediate),
    }
    const store = await openEngine({ ...ports, timer })
    const watcher = await Membership.join(
      ports,
      () => 0,
      () => undefined,
    )
    ports.journal.head = () => new Promise(() => undefined)
    for (let round = 0; round < 20; round++) {
      ports.clock.time += membershipMs / 3
      for (const { go } of pauses.splice(0)) go()
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
      expect(await watcher.others()).toHaveLength(1)
    }
    expect(store.state).toBe('open')
  })
})
