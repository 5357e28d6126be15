import { useEffect, useRef } from 'preact/hooks'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'

export interface LineChartProps {
  readonly label: string
  /** Seconds since the epoch. */
  readonly times: readonly number[]
  readonly lines: readonly { readonly name: string; readonly values: readonly (number | null)[] }[]
}

const height = 160
/** A chart shows a minute at least: uPlot gives a single point the years around it. */
const secondsMin = 60
const strokes = ['--accent', '--warning'] as const

function dataOf(times: LineChartProps['times'], lines: LineChartProps['lines']): UPlot.AlignedData {
  const begin = (times.at(-1) ?? Date.now() / 1000) - secondsMin
  const isShort = (times[0] ?? Number.POSITIVE_INFINITY) > begin
  const before = isShort ? [begin] : []
  return [[...before, ...times], ...lines.map(({ values }) => [...before.map(() => null), ...values])]
}

/** Lines over time. People who cannot see them have the same values in text beside the chart. */
export function LineChart({ label, times, lines }: LineChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const chart = useRef<UPlot | undefined>(undefined)
  const data = dataOf(times, lines)
  useEffect(() => {
    const { current } = place
    if (current === null) return undefined
    const colour = (name: string): string => getComputedStyle(current).getPropertyValue(name).trim()
    const axis = { stroke: () => colour('--text-quiet'), grid: { stroke: () => colour('--line') } }
    const made = new UPlot(
      {
        width: current.clientWidth,
        height,
        legend: { show: false },
        cursor: { show: false },
        axes: [axis, { ...axis, size: 56 }],
        scales: { y: { range: (_chart, _low, high) => [0, Math.max(1, high * 1.1)] } },
        series: [
          {},
          ...lines.map(({ name }, i) => ({ label: name, width: 2, stroke: () => colour(strokes[i % 2] ?? '') })),
        ],
      },
      data,
      current,
    )
    chart.current = made
    const observer = new ResizeObserver(() => made.setSize({ width: current.clientWidth, height }))
    observer.observe(current)
    return () => {
      observer.disconnect()
      made.destroy()
    }
  }, [lines.length])
  useEffect(() => chart.current?.setData(data), [times, lines])
  return <div class="line-chart" ref={place} role="img" aria-label={label} />
}
