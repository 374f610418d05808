import type { Approver, Hands } from '@synapse/hands';
import { Projects } from '@synapse/hands/internal';
import { OpenQuestions } from '../approvals/open-questions.ts';
import { OutputMemory } from '../calls/output-memory.ts';
import { OpenProject } from './open-project.ts';

/** Opens hands on a tracked project. */
export type OpenHands = (project: string, approver: Approver) => Promise<Hands>;

/** Options of {@link OpenProjects}. */
export interface OpenProjectsParts {
  readonly stateFolder: string;
  /** The project to show first. */
  readonly project: string;
  readonly version: string;
  readonly openHands: OpenHands;
}

/** The open projects of a console. Each is opened when a page requests it. */
export class OpenProjects implements AsyncDisposable {
  readonly questions = new OpenQuestions();
  /** Outputs of calls, also of projects that are not open yet. */
  readonly outputs = new OutputMemory();
  readonly stateFolder: string;
  readonly #parts: OpenProjectsParts;
  readonly #projects = new Map<string, Promise<OpenProject>>();

  constructor(parts: OpenProjectsParts) {
    this.#parts = parts;
    this.stateFolder = parts.stateFolder;
  }

  /** @throws SynapseError `denied` for a folder that is not a tracked project */
  async open(project = this.#parts.project): Promise<OpenProject> {
    const root = this.#root(project);
    let opened = this.#projects.get(root);
    if (opened === undefined) {
      opened = this.#open(root);
      this.#projects.set(root, opened);
      // A failed project may open the next time.
      opened.catch(() => this.#projects.delete(root));
    }
    return await opened;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const projects = await Promise.allSettled(this.#projects.values());
    await Promise.all(projects.map(async (opened) => (opened.status === 'fulfilled' ? opened.value[Symbol.asyncDispose]() : undefined)));
  }

  #root(project: string): string {
    using projects = Projects.open(this.stateFolder);
    return projects.require(project).root;
  }

  async #open(root: string): Promise<OpenProject> {
    const { openHands, stateFolder, version } = this.#parts;
    const hands = await openHands(root, this.questions.approver(root));
    return await OpenProject.open({ hands, stateFolder, questions: this.questions, outputs: this.outputs, version });
  }
}
