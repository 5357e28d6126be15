import { visible } from '../components/formats.ts'
import { linkTo } from '../router/route.ts'

export interface BreadcrumbsProps {
  readonly bucket: string
  readonly prefix: string
  readonly at: string | undefined
}

/** Where the page is: the buckets, the bucket, and the segments of the prefix. */
export function Breadcrumbs({ bucket, prefix, at }: BreadcrumbsProps) {
  const segments = prefix.split('/').slice(0, -1)
  const steps = segments.map((segment, index) => ({
    name: segment,
    prefix: `${segments.slice(0, index + 1).join('/')}/`,
  }))
  return (
    <nav class="breadcrumbs" aria-label="Breadcrumbs">
      <ol>
        <li>
          <a href={linkTo([])}>Buckets</a>
        </li>
        <li>
          <h1>
            <a href={linkTo(['browse', bucket], { at })}>{bucket}</a>
          </h1>
        </li>
        {steps.map((step) => (
          <li key={step.prefix}>
            <a
              href={linkTo(['browse', bucket], { prefix: step.prefix, at })}
              aria-current={step.prefix === prefix ? 'location' : undefined}
            >
              {step.name === '' ? '(empty name)' : visible(step.name)}
            </a>
          </li>
        ))}
      </ol>
    </nav>
  )
}
