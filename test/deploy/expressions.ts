/** The expressions of the dashboards and of the rules in `deploy`, parsed as Prometheus does. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { parser } from '@prometheus-io/lezer-promql'
import { parse as parseYaml } from 'yaml'

/** This file is also run as built, one folder deeper. */
const up = import.meta.url.includes('/dist/') ? '../../../' : '../../'
export const deploy = fileURLToPath(new URL(`${up}deploy/`, import.meta.url))

export interface Expression {
  /** Where it stands: the dashboard and its panel, or the alert. */
  readonly where: string
  readonly text: string
  readonly isAlert: boolean
}

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[]
}

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[]
}

/** What Grafana puts in place of its variables. */
const withoutVariables = (text: string, interval: string): string =>
  text.replaceAll('$__rate_interval', interval).replaceAll('$job', 'varve').replaceAll('$instance', '.+')

export function dashboardExpressions(interval = '5m'): readonly Expression[] {
  const folder = join(deploy, 'grafana')
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => {
      const { panels } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Dashboard
      return panels.flatMap(({ title, targets = [] }) =>
        targets.map(({ expr }) => ({
          where: `${name}: ${title}`,
          text: withoutVariables(expr, interval),
          isAlert: false,
        })),
      )
    })
}

export function alertExpressions(): readonly Expression[] {
  const { groups } = parseYaml(readFileSync(join(deploy, 'prometheus/alerts.yml'), 'utf8')) as Rules
  return groups.flatMap(({ rules }) =>
    rules.map(({ alert, expr }) => ({ where: `alerts.yml: ${alert}`, text: expr, isAlert: true })),
  )
}

export interface Matcher {
  readonly label: string
  readonly operator: string
  readonly value: string
}

export interface Selector {
  readonly metric: string
  readonly matchers: readonly Matcher[]
}

export interface Parsed {
  readonly errors: readonly string[]
  readonly selectors: readonly Selector[]
  /** Labels that results are grouped by. */
  readonly groupedBy: readonly string[]
  /** What the comparisons compare: an expression that has a result while no alert fires. */
  readonly compared: readonly string[]
}

const comparisons = new Set(['Gtr', 'Lss', 'Gte', 'Lte', 'EqlC', 'Eql', 'Neq'])

export function parsed(text: string): Parsed {
  const found = {
    errors: [] as string[],
    selectors: [] as Selector[],
    groupedBy: [] as string[],
    compared: [] as string[],
  }
  const textOf = ({ from, to }: { readonly from: number; readonly to: number }) => text.slice(from, to)
  parser.parse(text).iterate({
    enter({ name, node, type }) {
      if (type.isError) found.errors.push(`${textOf(node)} at ${node.from} of ${text}`)
      if (name === 'VectorSelector') {
        const identifier = node.getChild('Identifier')
        const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? []
        found.selectors.push({
          metric: identifier === null ? '' : textOf(identifier),
          matchers: matchers.map((matcher) => {
            const [, label = '', operator = '', value = ''] =
              /^(\w+)\s*(=~|!~|!=|=)\s*"(.*)"$/.exec(textOf(matcher)) ?? []
            return { label, operator, value }
          }),
        })
      }
      if (name === 'GroupingLabels') {
        found.groupedBy.push(...node.getChildren('LabelName').map(textOf))
      }
      const [left] = [node.firstChild]
      const operator = left?.nextSibling
      if (name === 'BinaryExpr' && left && operator && comparisons.has(operator.name)) found.compared.push(textOf(left))
    },
  })
  return found
}

/** Samples of a scrape, by the name of their metric. */
export type Samples = ReadonlyMap<string, readonly Readonly<Record<string, string>>[]>

export function samplesIn(text: string): Samples {
  const samples = new Map<string, Record<string, string>[]>()
  for (const line of text.split('\n')) {
    const [, name = '', labels = ''] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+/.exec(line) ?? []
    if (name === '') continue
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, value]) => [label, value] as const)
    samples.set(name, [...(samples.get(name) ?? []), Object.fromEntries(pairs) as Record<string, string>])
  }
  return samples
}

/** Labels that the scrape adds, and that of buckets. */
export const addedLabels: ReadonlySet<string> = new Set(['job', 'instance', 'le'])

/** Whether the scrape has a sample for every selector, so that the expression has a result. */
export const hasSamples = ({ selectors }: Pick<Parsed, 'selectors'>, samples: Samples): boolean =>
  selectors.every(
    ({ metric, matchers }) =>
      metric === 'up' ||
      (samples.get(metric) ?? []).some((labels) => matchers.every((matcher) => isMet(matcher, labels))),
  )

function isMet({ label, operator, value }: Matcher, labels: Readonly<Record<string, string>>): boolean {
  if (addedLabels.has(label)) return true
  const isEqual = operator.includes('~')
    ? new RegExp(`^(?:${value})$`).test(labels[label] ?? '')
    : labels[label] === value
  return isEqual !== operator.startsWith('!')
}
