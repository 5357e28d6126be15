import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { listenForInterrupts } from './interrupts.ts'

describe('interrupts', () => {
  it('may be awaited by any number of objects under way, without a warning', async () => {
    const { signal, stop } = listenForInterrupts()
    try {
      const warned = once(process, 'warning', { signal: AbortSignal.timeout(200) })
      for (let n = 0; n < 50; n++) signal.addEventListener('abort', () => undefined)
      await expect(warned).rejects.toThrow('abort')
    } finally {
      stop()
    }
  })
})
