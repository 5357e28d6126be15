import { it } from 'vitest'
import { list } from './answers.fixture.ts'
import { memoryPorts } from './memory-ports.fixture.ts'
import { openEngine } from './open-engine.ts'
it('x', async () => {
  const store = await openEngine(memoryPorts(), {})
  await store.buckets.create('box')
  await store.buckets.fork('box', 'try')
  await store.objects.put('try', 'a', 'x')
  await store.objects.put('try', 'b', 'x')
  await store.buckets.drop('try')
  await store.sweep()
  console.log(await list((await store.at(4)).objects.list('try')))
  console.log(await list(store.diff({ bucket: 'try' }, 4, 5)))
  await store.buckets.create('try')
  console.log(await list((await store.at(4)).objects.list('try')))
  console.log(await list(store.diff({ bucket: 'try' }, 4, 5)))
  for await (const e of store.log()) console.log(e.seq, e.type, JSON.stringify(e.data).slice(0,100))
})
