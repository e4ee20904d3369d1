// SPDX-License-Identifier: BSL-1.0
/// \file
/// The database in which programs beside a simulation read which keys are whose: written by a simulation, and read.
///
///     if (auto refusal = execution::write_database("network.sqlite3", simulation); !refusal) ...;
///
///     auto database = execution::Database::open("network.sqlite3");
///     for (const auto& [atom, key] : database.value().keys_of("injector").value()) ...;
///
/// Tables and views are those that clients of SpiNNTools ask for. A vertex is called by its name, where several have one by it and their
/// number, as cell_17; atoms are counted from 0 in each of its partitions.
/// \source SpiNNFrontEndCommon, utilities/database: db.sql, database_reader.py
// host-only
// needs: sqlite3.h
#ifndef NEUROMORPH_EXECUTION_DATABASE_HPP
#define NEUROMORPH_EXECUTION_DATABASE_HPP

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/execution/simulation.hpp>
#include <neuromorph/host/address.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/mapping/machine_graph.hpp>
#include <neuromorph/mapping/tags.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace execution {
namespace detail {

/// A file of SQLite, and what went wrong with it first.
class SqliteFile {
public:
  SqliteFile() = default;
  SqliteFile(SqliteFile&& other) noexcept
      : file_(std::exchange(other.file_, nullptr)), path_(std::move(other.path_)), why_(std::move(other.why_)) {}
  SqliteFile& operator=(SqliteFile&&) = delete;
  ~SqliteFile() { ::sqlite3_close(file_); }

  void open(const std::string& path, int flags) {
    path_ = path;
    if (::sqlite3_open_v2(path.c_str(), &file_, flags, nullptr) != SQLITE_OK) fail();
  }
  void run(const char* text) {
    if (why_.empty() && ::sqlite3_exec(file_, text, nullptr, nullptr, nullptr) != SQLITE_OK) fail();
  }
  [[nodiscard]] bool ok() const noexcept { return why_.empty(); }
  [[nodiscard]] Refusal refusal() const {
    return ok() ? Refusal{} : Refusal{{Error::file_failed, 0, 0, "database"}, path_, why_};
  }

  using Value = std::variant<std::int64_t, std::string>;
  /// A statement that is run with one row of values after the other.
  class Statement {
  public:
    Statement(SqliteFile& of, const char* text) : of_(of) {
      if (of_.ok() && ::sqlite3_prepare_v2(of_.file_, text, -1, &is_, nullptr) != SQLITE_OK) of_.fail();
    }
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;
    ~Statement() { ::sqlite3_finalize(is_); }
    void bind(const std::vector<Value>& values) {
      if (!of_.ok()) return;
      ::sqlite3_reset(is_);
      for (std::size_t at = 0; at < values.size(); ++at) {
        const int place = static_cast<int>(at) + 1;
        const auto* const text = std::get_if<std::string>(&values[at]);
        const int done = text == nullptr ? ::sqlite3_bind_int64(is_, place, std::get<std::int64_t>(values[at]))
                                         : ::sqlite3_bind_text(is_, place, text->data(), static_cast<int>(text->size()),
                                                               SQLITE_TRANSIENT);
        if (done != SQLITE_OK) of_.fail();
      }
    }
    /// \return whether there is another row
    [[nodiscard]] bool step() {
      if (!of_.ok()) return false;
      const int done = ::sqlite3_step(is_);
      if (done != SQLITE_ROW && done != SQLITE_DONE) of_.fail();
      return done == SQLITE_ROW;
    }
    void put(const std::vector<Value>& values) {
      bind(values);
      static_cast<void>(step());
    }
    [[nodiscard]] std::int64_t number(int column) { return ::sqlite3_column_int64(is_, column); }
    [[nodiscard]] std::string text(int column) {
      const auto* const letters = ::sqlite3_column_text(is_, column);
      const auto size = static_cast<std::size_t>(::sqlite3_column_bytes(is_, column));
      return letters == nullptr ? std::string() : std::string(reinterpret_cast<const char*>(letters), size);
    }

  private:
    SqliteFile& of_;
    ::sqlite3_stmt* is_ = nullptr;
  };

private:
  void fail() {
    if (why_.empty()) why_ = file_ == nullptr ? "there is no memory for it" : ::sqlite3_errmsg(file_);
  }
  ::sqlite3* file_ = nullptr;
  std::string path_{}, why_{};
};

inline constexpr const char* database_tables = R"(
CREATE TABLE configuration_parameters(parameter_id TEXT PRIMARY KEY, value REAL);
CREATE TABLE proxy_configuration(kind TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL);
CREATE TABLE Machine_layout(machine_id INTEGER PRIMARY KEY, x_dimension INTEGER, y_dimension INTEGER);
CREATE TABLE Machine_chip(no_processors INTEGER, chip_x INTEGER, chip_y INTEGER, machine_id INTEGER, avilableSDRAM INTEGER,
  ip_address TEXT, nearest_ethernet_x INTEGER, nearest_ethernet_y INTEGER, PRIMARY KEY(chip_x, chip_y, machine_id));
CREATE TABLE Application_vertices(vertex_id INTEGER PRIMARY KEY, vertex_label TEXT UNIQUE, vertex_class TEXT, no_atoms INTEGER,
  max_atom_constrant INTEGER);
CREATE TABLE Machine_vertices(vertex_id INTEGER PRIMARY KEY, label TEXT, class TEXT, cpu_used INTEGER, sdram_used INTEGER,
  dtcm_used INTEGER);
CREATE TABLE graph_mapper_vertex(application_vertex_id INTEGER, machine_vertex_id INTEGER, lo_atom INTEGER, hi_atom INTEGER,
  PRIMARY KEY(application_vertex_id, machine_vertex_id));
CREATE TABLE Placements(vertex_id INTEGER PRIMARY KEY, machine_id INTEGER, chip_x INTEGER, chip_y INTEGER, chip_p INTEGER);
CREATE TABLE m_vertex_to_lpg_vertex(pre_vertex_id INTEGER, partition_id TEXT, post_vertex_id INTEGER,
  PRIMARY KEY(pre_vertex_id, partition_id, post_vertex_id));
CREATE TABLE IP_tags(vertex_id INTEGER, tag INTEGER, board_address TEXT, ip_address TEXT, port INTEGER, strip_sdp INTEGER,
  PRIMARY KEY(vertex_id, tag, board_address));
CREATE TABLE Reverse_IP_tags(vertex_id INTEGER PRIMARY KEY, tag INTEGER, board_address TEXT, port INTEGER);
CREATE TABLE event_to_atom_mapping(vertex_id INTEGER, atom_id INTEGER, event_id INTEGER PRIMARY KEY);
CREATE INDEX events_of ON event_to_atom_mapping(vertex_id);
CREATE VIEW label_event_atom_view AS
  SELECT atom_id AS atom, event_id AS event, vertex_label AS label, vertex_class AS class
  FROM event_to_atom_mapping NATURAL JOIN Application_vertices;
CREATE VIEW app_output_tag_view AS
  SELECT tag.ip_address AS ip_address, tag.port AS port, tag.strip_sdp AS strip_sdp, tag.board_address AS board_address,
    tag.tag AS tag, place.chip_x AS chip_x, place.chip_y AS chip_y, pre.vertex_label AS pre_vertex_label,
    pre.vertex_class AS pre_vertex_class, post.label AS post_vertex_label, post.class AS post_vertex_class
  FROM IP_tags AS tag
  JOIN m_vertex_to_lpg_vertex AS edge ON edge.post_vertex_id = tag.vertex_id
  JOIN Machine_vertices AS post ON post.vertex_id = tag.vertex_id
  JOIN Placements AS place ON place.vertex_id = tag.vertex_id
  JOIN graph_mapper_vertex AS part ON part.machine_vertex_id = edge.pre_vertex_id
  JOIN Application_vertices AS pre ON pre.vertex_id = part.application_vertex_id;
CREATE VIEW app_input_tag_view AS
  SELECT tag.board_address AS board_address, tag.port AS port, vertex_label AS application_label,
    vertex_class AS application_class
  FROM Reverse_IP_tags AS tag
  JOIN graph_mapper_vertex AS part ON part.machine_vertex_id = tag.vertex_id
  JOIN Application_vertices AS of ON of.vertex_id = part.application_vertex_id;
CREATE VIEW application_vertex_placements AS
  SELECT chip_x AS x, chip_y AS y, chip_p AS p, vertex_label, vertex_class
  FROM Placements
  JOIN graph_mapper_vertex AS part ON part.machine_vertex_id = Placements.vertex_id
  JOIN Application_vertices AS of ON of.vertex_id = part.application_vertex_id;
CREATE VIEW chip_eth_info AS
  SELECT chip.chip_x AS x, chip.chip_y AS y, board.chip_x AS eth_x, board.chip_y AS eth_y, board.ip_address AS eth_ip_address
  FROM Machine_chip AS chip
  JOIN Machine_chip AS board ON board.chip_x = chip.nearest_ethernet_x AND board.chip_y = chip.nearest_ethernet_y;
)";

} // namespace detail

/// How vertices are called in databases. [vertex]
[[nodiscard]] inline std::vector<std::string> labels_of(const Simulation& simulation) {
  const mapping::Vertex vertices = simulation.graph().vertices();
  std::map<std::string, unsigned> uses;
  for (mapping::Vertex vertex = 0; vertex < vertices; ++vertex) ++uses[simulation.name(vertex)];
  std::vector<std::string> made;
  for (mapping::Vertex vertex = 0; vertex < vertices; ++vertex) {
    const std::string& name = simulation.name(vertex);
    const bool is_alone = !name.empty() && uses[name] == 1;
    std::string label = is_alone ? name : (name.empty() ? "vertex" : name) + "_" + std::to_string(vertex);
    while (!is_alone && uses[label] != 0) label += '_'; // another vertex has this for its name
    made.push_back(std::move(label));
  }
  return made;
}

/// In the place of a file that is there. It is there as a whole, or not at all.
/// \pre    the simulation is loaded
/// \errors file_failed: with SQLite's words, or the system's
[[nodiscard]] inline Refusal write_database(const std::string& path, const Simulation& simulation) {
  const std::string made = path + ".new";
  static_cast<void>(std::remove(made.c_str()));
  {
    detail::SqliteFile file;
    file.open(made, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    file.run("PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; BEGIN");
    file.run(detail::database_tables);
    using Row = std::vector<detail::SqliteFile::Value>;
    using Number = std::int64_t;
    using Statement = detail::SqliteFile::Statement;
    const mapping::MachineGraph& graph = simulation.graph();
    const mapping::Mapping& mapping = simulation.mapping();
    const mapping::Machine& machine = simulation.found().machine;
    const auto address = [&](mapping::Chip ethernet) {
      const auto& found = simulation.found();
      for (std::size_t at = 0; at < found.ethernets.size(); ++at)
        if (found.ethernets[at] == ethernet) return host::text_of(found.addresses[at]);
      return std::string();
    };
    const auto is_real = [&](mapping::Vertex vertex) { return !machine.is_virtual(mapping.placements.chip[vertex]); };
    {
      Statement parameter(file, "INSERT INTO configuration_parameters VALUES(?, ?)");
      parameter.put(Row{std::string("machine_time_step"), Number{simulation.options().tick_us}});
      parameter.put(Row{std::string("time_scale_factor"), Number{1}});
      parameter.put(Row{std::string("infinite_run"), Number{0}});
      Statement(file, "INSERT INTO Machine_layout VALUES(1, ?, ?)")
          .put(Row{Number{machine.width()}, Number{machine.height()}});
      Statement chips(file, "INSERT INTO Machine_chip VALUES(?, ?, ?, 1, ?, ?, ?, ?)");
      for (mapping::Chip chip = 0; chip < machine.grid_chips(); ++chip) {
        if (!machine.has(chip)) continue;
        const mapping::Chip board = machine.ethernet_of(chip);
        chips.put(Row{Number{machine.core_count(chip)}, Number{machine.x(chip)}, Number{machine.y(chip)},
                      static_cast<Number>(machine.sdram_bytes(chip)), address(chip), Number{machine.x(board)},
                      Number{machine.y(board)}});
      }
    }
    {
      const std::vector<std::string> labels = labels_of(simulation);
      std::vector<std::uint32_t> atoms(graph.vertices());
      Statement event(file, "INSERT INTO event_to_atom_mapping VALUES(?, ?, ?)");
      for (mapping::Partition partition = 0; partition < graph.partitions(); ++partition) {
        const mapping::Vertex source = graph.source(partition);
        const std::uint32_t keys = graph.options(partition).keys, first = mapping.keys_of(partition).key;
        if (keys > atoms[source]) atoms[source] = keys;
        if (mapping.partition_of.empty() ||
            mapping.partition_of[partition] == partition) // else it sends the same keys as another
          for (std::uint32_t atom = 0; atom < keys; ++atom)
            event.put(Row{Number{source}, Number{atom}, Number{first + atom}});
      }
      Statement application(file, "INSERT INTO Application_vertices VALUES(?, ?, 'vertex', ?, ?)"),
          part(file, "INSERT INTO Machine_vertices VALUES(?, ?, 'vertex', 0, ?, ?)"),
          mapper(file, "INSERT INTO graph_mapper_vertex VALUES(?, ?, 0, ?)"),
          place(file, "INSERT INTO Placements VALUES(?, 1, ?, ?, ?)");
      for (mapping::Vertex vertex = 0; vertex < graph.vertices(); ++vertex) {
        const Number number{vertex}, last = atoms[vertex] == 0 ? 0 : Number{atoms[vertex]} - 1;
        const mapping::Resources& takes = graph.resources(vertex);
        application.put(Row{number, labels[vertex], Number{atoms[vertex]}, Number{atoms[vertex]}});
        part.put(Row{number, labels[vertex], Number{takes.sdram_bytes}, Number{takes.dtcm_bytes}});
        mapper.put(Row{number, number, last});
        if (is_real(vertex))
          place.put(Row{number, Number{machine.x(mapping.placements.chip[vertex])},
                        Number{machine.y(mapping.placements.chip[vertex])}, Number{mapping.placements.core[vertex]}});
      }
    }
    {
      Statement tag(file, "INSERT INTO IP_tags VALUES(?, ?, ?, ?, ?, ?)"),
          reverse(file, "INSERT OR IGNORE INTO Reverse_IP_tags VALUES(?, ?, ?, ?)"),
          edge(file, "INSERT OR IGNORE INTO m_vertex_to_lpg_vertex VALUES(?, ?, ?)");
      std::vector<bool> is_gatherer(graph.vertices());
      for (const mapping::TagUse& use : mapping.tags.ip_uses) {
        const mapping::LoadedIpTag& of = mapping.tags.ip[use.tag];
        tag.put(Row{Number{use.vertex}, Number{of.number}, address(of.ethernet), of.host, Number{of.port},
                    Number{of.strips_header ? 1 : 0}});
        is_gatherer[use.vertex] = true;
      }
      for (const mapping::TagUse& use : mapping.tags.reverse_uses) {
        const mapping::LoadedReverseTag& of = mapping.tags.reverse[use.tag];
        reverse.put(Row{Number{use.vertex}, Number{of.number}, address(of.ethernet), Number{of.port}});
      }
      for (mapping::Partition partition = 0; partition < graph.partitions(); ++partition)
        for (const mapping::Vertex target : graph.targets(partition))
          if (is_gatherer[target])
            edge.put(Row{Number{graph.source(partition)}, graph.options(partition).identifier, Number{target}});
    }
    file.run("COMMIT");
    if (!file.ok()) {
      static_cast<void>(std::remove(made.c_str()));
      return file.refusal();
    }
  }
  if (std::rename(made.c_str(), path.c_str()) == 0) return {};
  static_cast<void>(std::remove(made.c_str()));
  return {{Error::file_failed, 0, 0, "database"}, path, "the system does not let it be written there"};
}

class Database {
public:
  struct AtomKey {
    std::uint32_t atom = 0, key = 0;
    friend bool operator==(const AtomKey&, const AtomKey&) = default;
  };
  struct Output {
    std::string host{}; ///< empty: the one that has loaded the machine
    std::uint16_t port = 0;
    bool strips_header = true;
    std::string board{};
    std::uint8_t tag = 0;
  };
  struct Input {
    std::string board{};
    std::uint16_t port = 0;
  };

  /// \errors file_failed: with SQLite's words
  [[nodiscard]] static neuromorph::Answer<Database> open(const std::string& path) {
    Database made;
    made.file_.open(path, SQLITE_OPEN_READONLY);
    detail::SqliteFile::Statement(made.file_, "SELECT count(*) FROM label_event_atom_view").put({}); // it is one
    if (!made.file_.ok()) return made.file_.refusal();
    return made;
  }
  /// Of a vertex, by its label, in the order of atoms; empty where there is no such vertex.
  /// \errors file_failed: with SQLite's words; so are those of the others
  [[nodiscard]] neuromorph::Answer<std::vector<AtomKey>> keys_of(const std::string& label) {
    return rows<AtomKey>(
        "SELECT atom, event FROM label_event_atom_view WHERE label = ? ORDER BY atom, event", {label}, [](auto& row) {
          return AtomKey{static_cast<std::uint32_t>(row.number(0)), static_cast<std::uint32_t>(row.number(1))};
        });
  }
  /// Where the packets of a vertex are sent by a gatherer.
  /// \param gatherer  how its label begins
  [[nodiscard]] neuromorph::Answer<std::vector<Output>> outputs_of(const std::string& label,
                                                                   const std::string& gatherer = "") {
    return rows<Output>("SELECT ip_address, port, strip_sdp, board_address, tag FROM app_output_tag_view WHERE "
                        "pre_vertex_label = ? AND "
                        "substr(post_vertex_label, 1, length(?)) = ?",
                        {label, gatherer, gatherer}, [](auto& row) {
                          return Output{row.text(0), static_cast<std::uint16_t>(row.number(1)), row.number(2) != 0,
                                        row.text(3), static_cast<std::uint8_t>(row.number(4))};
                        });
  }
  /// Where a host sends what a vertex is to send.
  [[nodiscard]] neuromorph::Answer<std::vector<Input>> inputs_of(const std::string& label) {
    return rows<Input>("SELECT board_address, port FROM app_input_tag_view WHERE application_label = ?", {label},
                       [](auto& row) {
                         return Input{row.text(0), static_cast<std::uint16_t>(row.number(1))};
                       });
  }
  [[nodiscard]] neuromorph::Answer<std::vector<std::string>> labels() {
    return rows<std::string>("SELECT vertex_label FROM Application_vertices ORDER BY vertex_id", {},
                             [](auto& row) { return row.text(0); });
  }

private:
  Database() = default;
  template <class Row, class Make>
  [[nodiscard]] neuromorph::Answer<std::vector<Row>>
  rows(const char* text, const std::vector<detail::SqliteFile::Value>& values, Make make) {
    std::vector<Row> made;
    detail::SqliteFile::Statement row(file_, text);
    row.bind(values);
    while (row.step()) made.push_back(make(row));
    if (!file_.ok()) return file_.refusal();
    return made;
  }
  detail::SqliteFile file_{};
};

} // namespace execution
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
