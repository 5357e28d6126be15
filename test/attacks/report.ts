import type { Outcome } from './range.ts'

const shown = 10

const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0

export function lineOf({ name, probe, loop, memory, statuses }: Outcome): string {
  const answers = Object.entries(statuses).map(([status, count]) => `${count} x ${status}`)
  return [
    `${probe.longest.toFixed(0).padStart(6)} ms`,
    `${memory.toFixed(0).padStart(5)} MiB`,
    `loop p99.9 ${loop.p999.toFixed(0)} longest ${loop.longest.toFixed(0)} collector ${loop.collection.toFixed(0)} work ${loop.work.toFixed(0)} starved ${loop.starved.toFixed(0)} ms`,
    name,
    answers.length === 0 ? 'no answer read' : answers.join(', '),
  ].join(' | ')
}

/** Lines that say how it went: the whole, and the worst ten by what others waited and by memory. */
export function report(title: string, outcomes: readonly Outcome[]): readonly string[] {
  const of = (read: (outcome: Outcome) => number) => outcomes.map(read)
  const stalls = of(({ probe }) => probe.longest)
  const loops = of(({ loop }) => loop.longest)
  const figures = (values: readonly number[], unit: string) =>
    `median ${quantile(values, 0.5).toFixed(0)}, p99 ${quantile(values, 0.99).toFixed(0)}, p99.9 ${quantile(values, 0.999).toFixed(0)}, worst ${quantile(values, 1).toFixed(0)} ${unit}`
  const worst = (read: (outcome: Outcome) => number) =>
    outcomes
      .toSorted((a, b) => read(b) - read(a))
      .slice(0, shown)
      .map(lineOf)
  return [
    `${title}: ${outcomes.length}`,
    `  longest request of another client: ${figures(stalls, 'ms')}; over 100 ms: ${stalls.filter((ms) => ms > 100).length}`,
    `  longest stand of the event loop: ${figures(loops, 'ms')}; p99.9 of its delay, at the most ${quantile(
      of(({ loop }) => loop.p999),
      1,
    ).toFixed(0)} ms`,
    `  longest pause of the garbage collector: ${figures(
      of(({ loop }) => loop.collection),
      'ms',
    )}`,
    `  most work of the main thread in one go: ${figures(
      of(({ loop }) => loop.work),
      'ms',
    )}; over 100 ms: ${of(({ loop }) => loop.work).filter((ms) => ms > 100).length}`,
    `  time in which the main thread wanted to run and others did: ${figures(
      of(({ loop }) => loop.starved),
      'ms',
    )}`,
    `  memory over idle: ${figures(
      of(({ memory }) => memory),
      'MiB',
    )}`,
    `  requests of the other client that failed: ${outcomes.reduce((sum, { probe }) => sum + Object.values(probe.failures).reduce((all, count) => all + count, 0), 0)}`,
    '  the worst for others:',
    ...worst(({ probe }) => probe.longest).map((line) => `    ${line}`),
    '  the worst by work in one go:',
    ...worst(({ loop }) => loop.work).map((line) => `    ${line}`),
    '  the worst by memory:',
    ...worst(({ memory }) => memory).map((line) => `    ${line}`),
  ]
}
