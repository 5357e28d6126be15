import type { StoreTime } from '../time/store-clock.ts'
import type { Engine } from '../engine/engine.ts'

export const storeTime = (engine: Engine): StoreTime => ({
  status: () => engine.clockStatus,
  observe: () => engine.clock.observe(),
  async accept() {
    engine.assertOpen()
    engine.assertWritable()
    await engine.clock.accept()
    return engine.clockStatus
  },
})
