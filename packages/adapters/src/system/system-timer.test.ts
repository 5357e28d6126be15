import { once } from 'node:events'
import { expect, it } from 'vitest'
import { systemTimer } from './system-timer.ts'

it('ends many pauses with one signal, without a warning of a leak', async () => {
  const end = new AbortController()
  const warned = once(process, 'warning', { signal: AbortSignal.timeout(50) }).catch(() => undefined)
  const pauses = Array.from({ length: 30 }, () => systemTimer.pause(60_000, end.signal))
  expect(await warned).toBeUndefined()
  end.abort('over')
  expect(new Set((await Promise.allSettled(pauses)).map((pause) => pause.status))).toEqual(new Set(['rejected']))
})
