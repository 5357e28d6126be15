import { describe, expect, it } from 'vitest'
import { Turn } from './turn.ts'

const immediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('a turn', () => {
  it('is over when its steps are spent, and begins anew when the network was looked at', async () => {
    const turn = new Turn(10)
    turn.spend(9)
    expect(turn.isOver).toBe(false)
    turn.spend(1)
    expect(turn.isOver).toBe(true)
    await immediate()
    expect(turn.isOver).toBe(false)
  })

  it('is shared: of many with much to do one goes on at a time, each as often as the others', async () => {
    const turn = new Turn(10)
    const order: number[] = []
    let spent = 0
    const most: number[] = []
    const work = async (name: number): Promise<void> => {
      for (let piece = 0; piece < 5; piece++) {
        if (turn.isOver) await turn.next('')
        turn.spend(10)
        spent += 10
        order.push(name)
      }
    }
    let isOn = true
    const count = (): void => {
      most.push(spent)
      spent = 0
      if (isOn) setImmediate(count)
    }
    setImmediate(count)
    await Promise.all([work(0), work(1), work(2)])
    isOn = false
    // The first has begun when the others come: its second piece is before their first.
    expect(order).toEqual([0, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 1, 2])
    expect(Math.max(...most)).toBe(10)
  })

  it('is shared by holders: many of one do not stand before one of another', async () => {
    const turn = new Turn(10)
    const order: string[] = []
    turn.spend(10)
    await Promise.all(
      ['a', 'a', 'a', 'b', 'a', 'c'].map(async (holder) => {
        await turn.next(holder)
        turn.spend(5)
        order.push(holder)
      }),
    )
    expect(order.join('')).toBe('abcaaa')
  })

  it('lets on as many as there are steps for', async () => {
    const turn = new Turn(10)
    turn.spend(10)
    let goneOn = 0
    for (let at = 0; at < 5; at++)
      void turn.next('').then(() => {
        turn.spend(4)
        goneOn++
      })
    await immediate()
    expect(goneOn).toBe(3)
    await immediate()
    expect(goneOn).toBe(5)
  })
})
