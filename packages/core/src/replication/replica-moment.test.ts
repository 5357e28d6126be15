import { expect, it } from 'vitest'
import { hashing, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import { readLog } from '../events/log.ts'
import { memoryReplica } from './memory-replica.fixture.ts'
import { mergedAtOnce, mergeParts } from './merge-parts.ts'
import type { LinePart } from './replica-line.ts'
import { momentIn } from './replica-moment.ts'
import { ReplicaReader } from './replica-reader.ts'
import { readReplicaState } from './replica-state.ts'
import { Replicator } from './replicator.ts'

it('a time stands for the last event until then, also where two joined files overlap', async () => {
  const ports = memoryPorts()
  const store = await openEngine(ports)
  await store.buckets.create('box')
  const replica = memoryReplica()
  const writer = { id: 'one', name: 'one' }
  const begin = (claim: string) => Replicator.begin({ from: ports, into: replica, hashing, writer, claim, at: 0 })
  const { replicator } = await begin('claim')
  const files: LinePart[] = []
  while (files.length < mergedAtOnce + 3) {
    await store.objects.put('box', `key${files.length}`, 'text')
    ports.clock.time += 1000
    files.push(await replicator.copy(await ports.journal.head()))
  }
  const merge = { ...replica, term: replicator.term }
  await mergeParts(merge, files.slice(0, mergedAtOnce), [])
  await begin('next claim')
  await mergeParts({ ...merge, term: 2 }, files.slice(3), [])
  await replica.files.delete(files.map(({ name }) => name))
  const reader = new ReplicaReader(replica, await readReplicaState(replica))
  expect(reader.state.log).toHaveLength(2)
  const last = new Map<number, number>()
  for await (const { event } of readLog({ journal: reader.journal, hashing }, { to: reader.state.head }))
    last.set(event.at, event.seq)
  for (const [at, seq] of last)
    expect(await momentIn({ hashing, reader, now: ports.clock.time }, new Date(at))).toBe(seq)
})
