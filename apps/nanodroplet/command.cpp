// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "ballast/base/argument_text.hpp"
#include "report.hpp"
#include "request.hpp"

namespace ballast::nanodroplet {
namespace {

void run(command_request const& asked) {
  auto const start = make_droplet(checked(asked).system);
  std::cout << (asked.json ? energies_as_json(start).text(2) + "\n" : energies_as_text(start));
}

/// An option for a whole number from `least` to `most`, stored in `target`, which must outlive the parsing.
template <std::integral Number>
void add_whole_number(CLI::App& command, std::string const& name, Number& target, Number least, Number most,
                      std::string const& meaning) {
  command
      .add_option_function<std::string>(
          name, [=, &target](std::string const& text) { target = whole_number(name, text, least, most); },
          meaning)
      ->type_name("INT")
      ->default_str(std::to_string(target));
}

void add_options(CLI::App& nanodroplet, command_request& asked) {
  add_whole_number(nanodroplet, "--waters", asked.waters, 1u, most_waters, "Molecules of water");
  nanodroplet.add_option("--solute", asked.solute, "The molecule in the middle: m12 or none");
  nanodroplet.add_flag("--json", asked.json, "Print one JSON object");
}

}  // namespace

void add_command(CLI::App& app) {
  auto const asked = std::make_shared<command_request>();
  auto* const nanodroplet =
      app.add_subcommand("nanodroplet", "A droplet of water around a molecule (Wende, Cordes, Steinke 2012)");
  nanodroplet->option_defaults()->always_capture_default();
  add_options(*nanodroplet, *asked);
  nanodroplet->callback([asked] { run(*asked); });
}

}  // namespace ballast::nanodroplet
