/** The pages of the console, by the first segment of the route. */

import type { ComponentType } from 'preact'
import { BrowsePage } from '../browse/browse-page.tsx'
import { OperatePage } from '../operate/operate-page.tsx'
import type { Route } from '../router/route.ts'
import { TimePage } from '../time/time-page.tsx'

export interface Page {
  readonly name: string
  readonly title: string
  readonly Content: ComponentType<{ readonly route: Route }>
}

export const pages: readonly Page[] = [
  { name: 'browse', title: 'Browse', Content: BrowsePage },
  { name: 'time', title: 'Time', Content: TimePage },
  { name: 'operate', title: 'Operate', Content: OperatePage },
]
