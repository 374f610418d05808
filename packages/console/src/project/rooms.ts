import type { Approver, Hands } from '@synapse/hands';
import { Projects } from '@synapse/hands/internal';
import { ApprovalDesk } from '../approvals/approval-desk.ts';
import { OutputMemory } from '../calls/output-memory.ts';
import { Room } from './room.ts';

/** Opens hands on a tracked project. */
export type OpenHands = (project: string, approver: Approver) => Promise<Hands>;

/** Options of {@link ConsoleRooms}. */
export interface RoomsParts {
  readonly stateFolder: string;
  /** The project to show first. */
  readonly project: string;
  readonly version: string;
  readonly openHands: OpenHands;
}

/** The open projects of a console. Each is opened when a page requests it. */
export class ConsoleRooms implements AsyncDisposable {
  readonly desk = new ApprovalDesk();
  /** Outputs of calls, also of projects that are not open yet. */
  readonly outputs = new OutputMemory();
  readonly stateFolder: string;
  readonly #parts: RoomsParts;
  readonly #rooms = new Map<string, Promise<Room>>();

  constructor(parts: RoomsParts) {
    this.#parts = parts;
    this.stateFolder = parts.stateFolder;
  }

  /** @throws SynapseError `denied` for a folder that is not a tracked project */
  async open(project = this.#parts.project): Promise<Room> {
    const root = this.#root(project);
    let room = this.#rooms.get(root);
    if (room === undefined) {
      room = this.#open(root);
      this.#rooms.set(root, room);
      // A failed project may open the next time.
      room.catch(() => this.#rooms.delete(root));
    }
    return await room;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const rooms = await Promise.allSettled(this.#rooms.values());
    await Promise.all(rooms.map(async (room) => (room.status === 'fulfilled' ? room.value[Symbol.asyncDispose]() : undefined)));
  }

  #root(project: string): string {
    using projects = Projects.open(this.stateFolder);
    return projects.require(project).root;
  }

  async #open(root: string): Promise<Room> {
    const { openHands, stateFolder, version } = this.#parts;
    const hands = await openHands(root, this.desk.approver(root));
    return await Room.open({ hands, stateFolder, desk: this.desk, outputs: this.outputs, version });
  }
}
