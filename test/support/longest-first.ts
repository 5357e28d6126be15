import { createFilter } from 'vite'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { longTests, longTestsAlone } from './long-tests.ts'

/**
 * Starts the files that take longest before the others of their project, so that no processor waits at the end for one file that
 * began last. Without a record of an earlier run vitest takes the length of a file for its time.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const patterns = [...longTests, ...longTestsAlone]
    const matchers = patterns.map((pattern) => createFilter(pattern, undefined, { resolve: this.ctx.config.root }))
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const rank = matchers.findIndex((matches) => matches(moduleId))
      return rank === -1 ? patterns.length : rank
    }
    const projects = [...new Set(sorted.map(({ project }) => project))]
    const projectOf = ({ project }: TestSpecification): number => projects.indexOf(project)
    return sorted.sort((a, b) => projectOf(a) - projectOf(b) || rankOf(a) - rankOf(b))
  }
}
