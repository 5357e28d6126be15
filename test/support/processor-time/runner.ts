import { type RunnerTestFile, type RunnerTestSuite, TestRunner } from 'vitest'
import { processorTime } from './processor-time.ts'

/** Runs tests as vitest does, and notes the processor time of each file in its `meta`. */
export default class MeasuringRunner extends TestRunner {
  #before = processorTime()

  override onCollectStart(file: RunnerTestFile): void {
    this.#before = processorTime()
    super.onCollectStart(file)
  }

  override async onAfterRunSuite(suite: RunnerTestSuite): Promise<void> {
    await super.onAfterRunSuite(suite)
    if ('filepath' in suite) suite.meta.processorTime = Math.round(processorTime() - this.#before)
  }
}
