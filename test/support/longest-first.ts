import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { longFiles } from './long-files.ts'

const ranks = new Map(longFiles.map((path, rank) => [path, rank]))

/**
 * Starts the files that take longest before the others of their project, so that no processor waits at the end for one file that
 * began last. Without a record of an earlier run vitest takes the length of a file for its time.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const projects = [...new Set(sorted.map(({ project }) => project))]
    const rankOf = ({ moduleId }: TestSpecification): number =>
      ranks.get(relative(this.ctx.config.root, moduleId).replaceAll('\\', '/')) ?? longFiles.length
    const projectOf = ({ project }: TestSpecification): number => projects.indexOf(project)
    return sorted.sort((a, b) => projectOf(a) - projectOf(b) || rankOf(a) - rankOf(b))
  }
}
