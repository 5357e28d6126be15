import { describe, expect, it } from 'vitest'
import { onAbort } from './on-abort.ts'

describe('onAbort', () => {
  it('calls all who wait, once and in their order, and none that has ended its wait', () => {
    const controller = new AbortController()
    const called: number[] = []
    const same = (): void => void called.push(0)
    const ends = [same, same, () => void called.push(1), () => void called.push(2)].map((listener) =>
      onAbort(controller.signal, listener),
    )
    ends[2]?.()
    ends[2]?.()
    controller.abort()
    controller.abort()
    expect(called).toEqual([0, 0, 2])
    for (const end of ends) end()
    onAbort(controller.signal, () => called.push(3))
    expect(called).toEqual([0, 0, 2])
  })

  it('does not call those whom another one ends', () => {
    const controller = new AbortController()
    const called: number[] = []
    onAbort(controller.signal, () => end())
    const end = onAbort(controller.signal, () => called.push(1))
    controller.abort()
    expect(called).toEqual([])
  })

  it('has one listener of a signal, and none when nobody waits', () => {
    const listeners = new Set<unknown>()
    const signal = {
      aborted: false,
      addEventListener: (_type: string, listener: unknown) => void listeners.add(listener),
      removeEventListener: (_type: string, listener: unknown) => void listeners.delete(listener),
    } as unknown as AbortSignal
    for (let round = 0; round < 2; round++) {
      const ends = Array.from({ length: 100 }, () => onAbort(signal, () => undefined))
      expect(listeners.size).toBe(1)
      for (const end of ends) end()
      expect(listeners.size).toBe(0)
    }
  })
})
